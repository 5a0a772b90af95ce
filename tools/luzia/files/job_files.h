// Locates a job's files for commands that use git on them: diff, restore, gc and the snapshot before an
// attempt. They run as the caller, never in the daemon. If root calls, the process becomes the job's user,
// because a repository's configuration can name programs. One thread.
#pragma once

#include <string>
#include <vector>

#include "adapters/git/restore.h"
#include "engine/event/event.h"
#include "tools/luzia/asking.h"

namespace luzia {

/// The deadline for git operations that a person waits for: 10 minutes from now.
GitDeadline git_deadline();

struct JobPlace {
  view::JobT job;
  std::string folder;  // where its agent works
  Repository repository;
};
/// The purpose. Only the job's user may change files, or root, who acts as that user.
enum class JobUse { look, change };
/// Finds the job's files. If the process is root, it is the job's user afterwards. Errors: `no_such_job`,
/// `not_started_here` (not_found): a tracked task; `no_directory`, `no_worktree` (not_found): the files are
/// gone; `user_not_allowed` (refused); and those of find_repository().
Result<JobPlace> find_job_place(Invocation& invocation, Client& client, const std::string& job, JobUse use);

/// The snapshot taken before the attempt. `no_snapshot` (not_found): the hint says how to get snapshots.
Result<Snapshot> snapshot_before(const JobPlace& place, std::uint32_t attempt);
/// The snapshot of that name: an attempt's number, or restore-N. Errors (not_found): `no_snapshot`;
/// `no_worktree`: it was taken in the job's own worktree, which is gone.
Result<Snapshot> snapshot_of(const JobPlace& place, const std::string& name);
/// The attempt of --attempt, default the last. `no_such_attempt` (not_found): there is none of that number.
Result<std::uint32_t> attempt_of(const Arguments& args, const view::JobT& job);

/// Makes paths of the command line relative to the repository's top. They are relative to the current folder
/// if that is in the work tree, otherwise to the job's folder. `bad_path` (usage): a path is outside.
Result<std::vector<std::string>> paths_in(const JobPlace& place, const std::vector<std::string>& words);

/// `no_such_path` (not_found): a path exists neither now nor in the snapshot that `since` compares with.
Status check_paths(const JobPlace& place, const std::vector<std::string>& paths, const ChangesSince& since);

/// Records an event about a job's files.
Result<wire::AcceptedT> note_workspace(Invocation& invocation, Client& client, const std::string& job,
                                       schema::WorkspaceFactUnion fact);

}  // namespace luzia
