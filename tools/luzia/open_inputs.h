// What people are asked now: questions and approvals that are open, and steps of flows that they are to do,
// for commands that show them beside jobs.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "projections/rows/input_rows.h"
#include "tools/luzia/asking.h"

namespace luzia {

/// The rows live as long as this.
struct OpenInputs {
  std::vector<Page> pages;
  ShownQuestions questions;
  ShownApprovals approvals;
};

/// What is open of the jobs that `filter` lets through, the oldest first. An older daemon knows of none.
Result<OpenInputs> ask_open_inputs(Invocation& invocation, Client& client, const wire::FilterT& filter);

/// Those of one job.
Result<OpenInputs> ask_open_inputs(Invocation& invocation, Client& client, const std::string& job);

/// Of flows of projects that `filter` lets through.
Result<std::vector<ManualStep>> ask_manual_steps(Invocation& invocation, Client& client,
                                                 const wire::FilterT& filter);

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

/// How to answer them, a paragraph each; empty when nothing is open.
std::string open_inputs_text(Invocation& invocation, const OpenInputs& inputs);

}  // namespace luzia
