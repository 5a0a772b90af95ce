// The job directory that people and agents see (contract: Dispatch). Luzia never trusts what it finds there:
// all access by directory fd, O_NOFOLLOW, what exists already is replaced by rename. Nothing here is fsynced:
// these files are views, the log has what they say.
//
// Any thread; blocks for a few system calls. Of two that write the same file at once, the later rename wins.
//
// Errors: `job_dir_failed` (a system call failed: which, on what and why is in the message),
// `out_of_resources` (the same for want of descriptors, memory or room: it may work later),
// `unsafe_jobs_root`, `unsafe_job_dir` (somebody else could change or owns what we would write to).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "view.fb.h"

namespace luzia {

struct JobDirSpec {
  std::string path;  // JOBS/<id>, absolute
  std::uint32_t attempt = 1;
  std::uint32_t uid = 0, gid = 0;  // owner; given away to it when we are root
  std::string prompt;
  std::optional<std::string> task = {};  // what task.sh gets; none: no such file
  std::vector<std::string> argv;
  std::vector<std::string> env;
  std::string working_dir;
  bool stdin_prompt = true;
  // A file outside of the agent's reach, made once the earlier attempt's files are out of the way: from its
  // existence on, what lies in the directory is this attempt's. A sign in the directory itself could be
  // forged.
  std::string moved_mark;
  // An empty folder of the owner's in it, made where nothing of that name is there; empty: none.
  std::string folder = {};
  bool at_terminal = false;  // run.sh leaves the input as it is: the terminal it is started from
};

/// `unsafe_jobs_root` where other users could put another folder in the place of this one, or of one on the
/// way to it (kept_folder.h). One that is missing, or cannot be looked at, is no reason.
Status check_jobs_root(const std::string& path);

/// Creates or completes the directory for an attempt: mode 0700 of the user, prompt.txt, task.sh, run.sh, an
/// empty output.log and the claim of all attempts; for attempt >= 2 the earlier files move to attempt-<n-1>/
/// first, and what the agent had put under that name moves aside. Idempotent: an output.log of this attempt
/// stays as it is. The folder JOBS is created 0711, so that each user reaches their own job.
Status prepare_job_dir(const JobDirSpec& spec);

/// meta.json in the older tool's shape plus ours, renamed into place unless it says just that. No directory
/// (not started yet, or removed): nothing to do.
Status write_meta_json(const view::JobT& job, std::string_view task, std::uint32_t uid, std::uint32_t gid);

/// The end of that attempt as luzia-run copied it into exit.json. Evidence only where the record itself is
/// gone, and the job's user could have changed that as well; nullopt where no whole copy of this attempt
/// stands there.
std::optional<schema::AttemptEndedT> read_exit_json(const std::string& job_dir, const std::string& job,
                                                    std::uint32_t attempt, std::uint32_t uid,
                                                    std::uint32_t gid);

/// Ends output.log as luzia-run does: an empty line and `exit:<code>`. For a luzia-run that could not any
/// more. Nothing to do where such a line ends it already, or no regular file of `uid` stands there, or
/// `next_mark` is there, the moved_mark of the next attempt: the file is that one's.
Status append_exit_line(const std::string& job_dir, std::uint32_t uid, int code,
                        const std::string& next_mark = {});

/// The older tool's word for a state: running, completed, failed, killed, or unknown for what it did not
/// have.
std::string_view older_status(schema::JobState state);

/// argv template with {task} {task_file} {prompt_file} {project} {project_path} {session_id} {job_id}
/// {job_dir} filled in; `{{` stands for `{`. A `{name}` that `values` does not have is an error
/// (`unknown_placeholder`); braces around anything but a name are left alone ({}, {print $1}).
Result<std::vector<std::string>> fill_placeholders(
    const std::vector<std::string>& argv_template,
    const std::vector<std::pair<std::string, std::string>>& values);

}  // namespace luzia
