// Making the requests of `dispatch`: from options, from the task's source, from lines of a batch.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "protocol.fb.h"
#include "tools/cli/arguments.h"
#include "tools/cli/invocation.h"

namespace luzia {

/// The options of `dispatch`, which `run` takes too.
std::span<const Option> dispatch_options();

/// The jobs of an invocation: `words` are project and task, unless --batch names many; `batch_text` then
/// becomes the text of its file. `bad_usage` (usage) says which of them is missing or too many.
Result<wire::DispatchT> dispatch_from(const Arguments& args, const std::vector<std::string>& words,
                                      std::string& batch_text);

/// Sends it, and prints the ids, or stays as --wait, --fg and --dry-run say. The exit code.
Result<int> send_dispatch(Invocation& invocation, wire::DispatchT dispatch, const std::string& batch_text);

/// The task in `words` (or of --file) for `agent` (empty: the configured one, else the first that is
/// installed), in the project of the current folder, which becomes one where it is none.
Result<int> run_in_folder(Invocation& invocation, const std::vector<std::string>& words,
                          const std::string& agent);

/// What the options say about a job; project and task are not filled.
Result<wire::DispatchJobT> job_from_options(const Arguments& args);

/// One job a line, an object with project, task and the long options' names as keys (after, tags and env are
/// lists or objects); `defaults` fills what a line leaves out. `bad_batch` (usage) names the line and the
/// mistake.
Result<std::vector<wire::DispatchJobT>> jobs_from_batch(const std::string& text, const std::string& file_name,
                                                        const wire::DispatchJobT& defaults);

/// A refusal of jobs_from_batch()'s jobs, which counts them, as one that names lines of the file.
Error with_batch_lines(Error error, const std::string& text, const std::string& file_name);

/// A file's content, of standard input for "-". `unreadable` (usage), `too_long` over 8 MiB.
Result<std::string> read_text(const std::string& path);

/// The job gets a terminal like ours: its size, and what programs may do on it (TERM, COLORTERM).
void give_terminal(wire::DispatchJobT& job, schema::Terminal terminal);

/// --env: KEY=VALUE, or KEY alone for one's own value.
Result<std::string> environment_entry(const std::string& text);

}  // namespace luzia
