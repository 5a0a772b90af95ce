// What `luzia gc` can remove. Each kind of thing has a source that looks for it; nothing is removed before
// the person has seen the list. One thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tools/luzia/asking.h"

namespace luzia {

/// Something that can go: what, why it may, and how. `remove` may find that it no longer may.
struct Removal {
  std::string kind;  // worktree, snapshots
  std::string name;
  std::string reason;
  std::function<Status()> remove;
};

/// Something that one might expect in the list, and why it is not.
struct Kept {
  std::string kind, name, reason;
};

struct CleanUp {
  std::vector<Removal> removals;
  std::vector<Kept> kept;
};

/// What the sources look through: every job, by id, as far as clean-up needs it.
struct JobTrace {
  std::string project, working_dir, worktree;
  bool ended = false;
  bool has_snapshot = false;
  TimeUs ended_us = 0;
};
using JobTraces = std::map<std::string, JobTrace>;

/// Worktrees of ended jobs without changes, whose commits another branch has.
void find_spent_worktrees(Invocation& invocation, Client& client, const JobTraces& jobs, CleanUp& clean_up);

/// Snapshots of jobs that ended longer ago than [git] keep_snapshots.
void find_old_snapshots(Invocation& invocation, const JobTraces& jobs, CleanUp& clean_up);

/// All snapshots of these jobs.
void find_snapshots_of(const JobTraces& jobs, CleanUp& clean_up);

}  // namespace luzia
