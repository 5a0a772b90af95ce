// Finds questions and approvals by their id. One thread.
#pragma once

#include <string>
#include <string_view>

#include "tools/luzia/asking.h"

namespace luzia {

/// Whether a word can only be the id of a question or an approval (q-..., a-...), not of a job.
bool is_prompt_id(std::string_view word);

/// A question or an approval and the job that asked.
struct NamedPrompt {
  std::string id;
  std::string job;
};
/// Finds the open question or approval with this id or beginning; if there is none, a recent closed one, so
/// that the daemon can say to a late caller how it was closed. Errors: `no_such_question`, `no_such_approval`
/// (not_found), `which_question` (usage): several match.
Result<NamedPrompt> find_prompt(Invocation& invocation, Client& client, const std::string& id);

}  // namespace luzia
