// A git worktree of a job's own, on a branch luzia/JOB. Blocks; one thread. Errors: those of Git and
// Repository, `no_commit` (refused: there is nothing to check out yet), `worktree_failed` (trouble: a folder
// cannot be made).
#pragma once

#include <string>

#include "adapters/git/repository.h"

namespace luzia {

struct Worktree {
  std::string repository;  // the project's top folder
  std::string path;        // where the job works: as deep in the worktree as the project is in its repository
  std::string branch;      // luzia/JOB
  std::string base;        // commit that it began with
  bool kept = false;       // it was there from an earlier attempt
};

/// Makes the worktree of `project` that an attempt finds as `path`, an empty folder or none; one that is
/// there already stays as it is. A project below its repository's top gets a link to its part, the worktree
/// being `repository` beside `path`. The branch begins at what the project has checked out: changes that are
/// not committed are not in it.
Result<Worktree> make_worktree(const std::string& project, const std::string& path, const std::string& branch,
                               GitDeadline deadline);

/// What there would be to lose with a worktree.
struct WorktreeState {
  std::string top;       // its folder
  std::string common;    // of the repository
  std::string branch;    // checked out now; empty: none
  std::string head;      // its commit
  bool changed = false;  // files differ from the commit, or are untracked and not ignored
  bool merged = false;   // another branch, or one of a remote, has its commit
};
Result<WorktreeState> look_at_worktree(const std::string& path, GitDeadline deadline);

/// Removes an unchanged worktree, its link and, where it is merged, its branch. git refuses when there are
/// changes by then.
Status remove_worktree(const std::string& path, const WorktreeState& state, GitDeadline deadline);

}  // namespace luzia
