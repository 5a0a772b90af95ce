// What `luzia gc` can remove. Each kind (worktrees, snapshots) has a function that finds candidates; nothing
// is removed before the list was shown. One thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tools/luzia/asking.h"

namespace luzia {

/// A candidate: what it is, why it can be removed, and how. `remove` checks again and may refuse.
struct Removal {
  std::string kind;  // worktree, snapshots
  std::string name;
  std::string reason;
  std::function<Status()> remove;
};

/// Something that is kept although it looks like a candidate, and why.
struct Kept {
  std::string kind, name, reason;
};

struct CleanUp {
  std::vector<Removal> removals;
  std::vector<Kept> kept;
};

/// What is searched: every job, by id, with the fields that are needed here.
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
