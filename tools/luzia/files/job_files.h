// Where a job's files are, for the commands that look at them in git: diff, restore, gc and what runs before
// an attempt. They run as whoever called luzia, never in the daemon; called by root, as the job's user, since
// a repository's configuration can name programs. One thread.
#pragma once

#include <string>
#include <vector>

#include "adapters/git/restore.h"
#include "tools/luzia/asking.h"

namespace luzia {

/// As long as a person waits for git.
GitDeadline git_deadline();

struct JobPlace {
  view::JobT job;
  std::string folder;  // where its agent works
  Repository repository;
};
/// What for: files are changed by the job's user, and by root in that user's place.
enum class JobUse { look, change };
/// From here on the process is the job's user, if it was root's. `no_such_job`, `no_worktree` (not found: its
/// own is gone), `user_not_allowed` (refused), and those of find_repository().
Result<JobPlace> find_job_place(Invocation& invocation, Client& client, const std::string& job, JobUse use);

/// The snapshot before the attempt that --attempt names, else before the last one. `no_snapshot` (not found)
/// says what to do for having one.
Result<Snapshot> snapshot_before(const JobPlace& place, std::uint32_t attempt);
/// The one of that name: an attempt's number, restore-N. `no_snapshot`, `no_worktree` (not found: it was
/// taken of a worktree of the job's own that is gone).
Result<Snapshot> snapshot_of(const JobPlace& place, const std::string& name);
/// --attempt, or the job's last; a number beyond it is `no_such_attempt` (not found).
Result<std::uint32_t> attempt_of(const Arguments& args, const view::JobT& job);

/// Words of the command line relative to the repository's top: they count from the current folder where that
/// is in the work tree, else from the job's. `bad_path` (usage) for one outside.
Result<std::vector<std::string>> paths_in(const JobPlace& place, const std::vector<std::string>& words);

/// `no_such_path` (not found): one of them is neither among the files of now nor in the snapshot that `since`
/// compares them with.
Status check_paths(const JobPlace& place, const std::vector<std::string>& paths, const ChangesSince& since);

/// The event about a job's files.
Result<wire::AcceptedT> note_workspace(Invocation& invocation, Client& client, const std::string& job,
                                       schema::WorkspaceFactUnion fact);

}  // namespace luzia
