// Creates, inspects and removes a job's own git worktree, on a branch luzia/JOB. Blocks; one thread. Errors:
// those of Git and Repository, `no_commit` (refused: there is nothing to check out yet), `worktree_failed`
// (trouble: a folder cannot be created).
#pragma once

#include <string>

#include "adapters/git/repository.h"

namespace luzia {

struct Worktree {
  std::string repository;  // the project's top folder
  std::string path;        // where the job works: the project's folder within the worktree
  std::string branch;      // luzia/JOB
  std::string base;        // the commit that it was created from
  bool kept = false;       // it existed from an earlier attempt
};

/// Creates the worktree of `project`, which the attempt reaches as `path`: an empty folder or nothing yet. An
/// existing worktree stays as it is. If the project is below its repository's top folder, the worktree is
/// `repository` beside `path`, and `path` is a link to the project's part of it. The branch starts at the
/// commit that the project has checked out, so uncommitted changes are not in it.
Result<Worktree> make_worktree(const std::string& project, const std::string& path, const std::string& branch,
                               GitDeadline deadline);

/// What would be lost if a worktree were removed.
struct WorktreeState {
  std::string top;       // its top folder
  std::string common;    // the repository's common git folder
  std::string branch;    // checked out now; empty: none
  std::string head;      // its commit
  bool changed = false;  // files differ from the commit, or are untracked and not ignored
  bool merged = false;   // another branch, local or of a remote, contains its commit
};
/// `project`: whose repository it belongs to.
Result<WorktreeState> look_at_worktree(const std::string& path, const std::string& project,
                                       GitDeadline deadline);

/// Removes an unchanged worktree, its link and, if it is merged, its branch. Git refuses if there are changes
/// by then.
Status remove_worktree(const std::string& path, const WorktreeState& state, GitDeadline deadline);

}  // namespace luzia
