// Requests to remove ended jobs from every list: checks permissions, reports what would be removed, and
// builds the engine's command. RemovalWork then carries out the removal. Loop thread; texts are looked up on
// a worker.
#pragma once

#include <memory>

#include "tools/luziad/queries/queries.h"

namespace luzia {

constexpr std::size_t kMostRemovals = 1'000;
/// The most texts of one job in one command, so that they fit into its group with those of other jobs.
/// Further commands erase the rest (RemovalWork).
constexpr std::size_t kMostTextsAtOnce = 2'000;

/// The job's owner and trusted callers may remove it, because it cannot be restored. `not_allowed`.
Status may_remove(const Caller& caller, const JobState& job);

class Removals {
 public:
  Removals(Workers& workers, const Store& store, const Desk& desk, Queries& queries)
      : workers_(workers), store_(store), desk_(desk), queries_(queries) {}
  static Status check(const Caller& caller, const wire::RemoveJobs& request);
  Status take(const RequestId& to, const Caller& caller, const wire::RemoveJobs& request);

 private:
  struct Look;
  Status answer(const RequestId& to, const CommandMeta& meta, const Caller& caller, Look& look);
  Result<ToJob> removal_of(const Caller& caller, const Look& look, std::size_t at);

  Workers& workers_;
  Store store_;
  Desk desk_;
  Queries& queries_;
};

}  // namespace luzia
