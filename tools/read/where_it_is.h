// Finds the other machine that has a job, for commands that name a job which is not here: ids are unique, so
// people need not say where it is. One thread.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "tools/cli/invocation.h"
#include "tools/read/machines_source.h"
#include "tools/read/session.h"

namespace luzia {

/// The configured machines, to be asked for at most that long.
std::vector<MachineToAsk> other_machines(const Config& config, std::chrono::milliseconds most);
/// How long a command asks several machines: --patience, else kMachinesTakeAtMost. `bad_value` (usage).
Result<std::chrono::milliseconds> time_for_machines(const Invocation& invocation);

/// Whether the error says that this machine has no job, question or approval of that name.
bool may_be_elsewhere(const Error& error, std::string_view word);

/// The machine that has the job, question or approval that `word` names. What is known of earlier answers
/// counts if `from_memory`. Errors: `error`, which also says where it was looked for, if no machine has it,
/// or other machines do not come into question: none is configured, a place was named, this is a job, or the
/// word is no id; `ambiguous_job`, `which_question` (usage).
Result<Machine> machine_that_has(Invocation& invocation, const std::string& word, const Error& error,
                                 bool from_memory);

/// Runs a command about jobs, questions or approvals that its arguments name; if one is not here, again on
/// the machine that has it. Jobs of several machines are refused. `run` changes nothing where they are not.
Result<int> run_where_it_is(Invocation& invocation, const std::function<Result<int>()>& run);

/// As reading<run>, for a command about one job.
template <Result<int> (*run)(Session&)>
Result<int> reading_where_it_is(Invocation& invocation) {
  return run_where_it_is(invocation, [&] { return run_reading(invocation, run); });
}

/// Does `act`, which was refused here with `error`, where the job is.
Result<wire::AcceptedT> act_where_it_is(Invocation& invocation, const std::string& job, const Error& error,
                                        const std::function<Result<wire::AcceptedT>(Invocation&)>& act);

}  // namespace luzia
