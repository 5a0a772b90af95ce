// Builds and sends the requests of `dispatch`, from options, the task's source or a batch. One thread.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "protocol.fb.h"
#include "tools/cli/arguments.h"
#include "tools/cli/invocation.h"
#include "tools/luzia/run/folder_project.h"

namespace luzia {

/// The options of `dispatch` and `run`.
std::span<const Option> dispatch_options();

/// The request of an invocation. `words` are project and task, unless --batch is given; then `batch_text`
/// receives the text of the batch file. `bad_usage` (usage): an argument is missing or superfluous.
Result<wire::DispatchT> dispatch_from(const Arguments& args, const std::vector<std::string>& words,
                                      std::string& batch_text);

/// Sends the request. Prints the ids, or does what --wait, --fg or --dry-run ask. Returns the exit code.
/// `made`: the project to create for it. A refused request leaves none behind.
Result<int> send_dispatch(Invocation& invocation, wire::DispatchT dispatch, const std::string& batch_text,
                          FolderProject made = {});

/// Dispatches the task in `words` (or --file) in the project of the current folder; makes the folder a
/// project if necessary. `agent` empty: the configured agent, else the first installed one.
Result<int> run_in_folder(Invocation& invocation, const std::vector<std::string>& words,
                          const std::string& agent);

/// A job with the values of the options; project and task are empty.
Result<wire::DispatchJobT> job_from_options(const Arguments& args);

/// Parses a batch: one job per line, an object with project, task and the names of long options as keys
/// (after, tags and env are lists or objects). `defaults` supplies missing values. `bad_batch` (usage) names
/// the line and the mistake.
Result<std::vector<wire::DispatchJobT>> jobs_from_batch(const std::string& text, const std::string& file_name,
                                                        const wire::DispatchJobT& defaults);

/// Converts the daemon's error about jobs of a batch, which numbers jobs, to one that names lines of the
/// file.
Error with_batch_lines(Error error, const std::string& text, const std::string& file_name);

/// Gives the job a terminal with the size of ours, and our TERM and COLORTERM.
void give_terminal(wire::DispatchJobT& job, schema::Terminal terminal);

/// An entry of --env: KEY=VALUE, or KEY alone for our own value. `bad_env` (usage).
Result<std::string> environment_entry(const std::string& text);

}  // namespace luzia
