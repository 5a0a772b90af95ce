// What people are asked, found by its id: questions and approvals.
#pragma once

#include <string>
#include <string_view>

#include "tools/luzia/asking.h"

namespace luzia {

/// Whether a word can only be the id of a question or an approval (q-..., a-...), not of a job.
bool is_input_id(std::string_view word);

/// A question or an approval and the job that asked.
struct NamedInput {
  std::string id;
  std::string job;
};
/// What is open under this id or its beginning; else what is over, among the latest, so that whoever comes
/// late hears from the daemon what became of it. `no_such_question`, `no_such_approval` (not_found),
/// `which_question` (usage).
Result<NamedInput> find_input(Invocation& invocation, Client& client, const std::string& id);

}  // namespace luzia
