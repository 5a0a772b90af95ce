// The job directory that people and agents see (contract: Dispatch). Luzia never trusts its content: it opens
// everything relative to the directory's descriptor with O_NOFOLLOW and replaces existing files by rename.
// Nothing here is fsynced, because these files are views; the log holds the facts.
//
// Any thread; blocks for a few system calls. If two threads write the same file at once, the later rename
// wins.
//
// Errors: `job_dir_failed` (a system call failed; the message says which, on what and why),
// `out_of_resources` (it failed for lack of descriptors, memory or disk space, and may work later),
// `unsafe_jobs_root`, `unsafe_job_dir` (another user owns or could change the place to write to).
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
  std::uint32_t uid = 0, gid = 0;  // owner; if we are root, everything is given to it
  std::string prompt;
  std::optional<std::string> task = {};  // content of task.sh; unset: no such file
  std::vector<std::string> argv;
  std::vector<std::string> env;
  std::string working_dir;
  bool stdin_prompt = true;
  // A file out of the agent's reach, created after the earlier attempt's files were moved away. Once it
  // exists, the files in the directory belong to this attempt. A marker in the directory itself could be
  // forged.
  std::string moved_mark;
  // An empty folder to create in the directory for the owner, unless that name exists; empty: none.
  std::string folder = {};
  bool at_terminal = false;  // run.sh keeps its input, the terminal it is started from
  /// A request of the earlier attempt and its answer, which this attempt finds where that one left them.
  struct Answered {
    const char* asked;     // name of the file, as in the earlier attempt's folder
    const char* answered;  // name
    std::string text;      // of the answer
  };
  std::vector<Answered> answered = {};
};

/// `unsafe_jobs_root` if other users could replace this folder, or one above it, with another folder
/// (kept_folder.h). A folder that is missing or cannot be examined is no error.
Status check_jobs_root(const std::string& path);

/// Creates or completes the directory for an attempt: mode 0700, owned by the user, with prompt.txt, task.sh,
/// run.sh, an empty output.log and the claim shared by all attempts. For attempt >= 2 it first moves the
/// earlier files to attempt-<n-1>/; if the agent created something under that name, it moves that aside.
/// Idempotent: an output.log of this attempt stays as it is. The folder JOBS is created 0711, so each user
/// can reach their own job.
Status prepare_job_dir(const JobDirSpec& spec);

/// Writes meta.json in the older tool's shape plus our members, by rename, unless the file already has that
/// content. If there is no directory (not started yet, or removed), does nothing.
Status write_meta_json(const view::JobT& job, std::string_view task, std::uint32_t uid, std::uint32_t gid);

/// Reads the attempt's end from exit.json, luzia-run's copy of the exit record. Use it as evidence only if
/// the record itself is gone, and note that the job's user could have changed it too. nullopt: there is no
/// complete copy of this attempt.
std::optional<schema::AttemptEndedT> read_exit_json(const std::string& job_dir, const std::string& job,
                                                    std::uint32_t attempt, std::uint32_t uid,
                                                    std::uint32_t gid);

/// Ends output.log as luzia-run does, with an empty line and `exit:<code>`, if luzia-run no longer could.
/// Does nothing if such a line already ends the file, if there is no regular file of `uid`, or if `next_mark`
/// exists: the next attempt's moved_mark, which means that the file belongs to that attempt.
Status append_exit_line(const std::string& job_dir, std::uint32_t uid, int code,
                        const std::string& next_mark = {});

/// The older tool's word for a state: running, completed, failed, killed, or unknown for states that it did
/// not have.
std::string_view older_status(schema::JobState state);

/// Fills {task} {task_file} {prompt_file} {project} {project_path} {session_id} {job_id} {job_dir} into an
/// argv template; `{{` stands for `{`. A `{name}` that `values` lacks is an error (`unknown_placeholder`).
/// Braces around anything but a name stay as they are ({}, {print $1}).
Result<std::vector<std::string>> fill_placeholders(
    const std::vector<std::string>& argv_template,
    const std::vector<std::pair<std::string, std::string>>& values);

}  // namespace luzia
