// Requests to take ended jobs out of every list: who may, what would go, and the command for the engine. What
// the removal orders is carried out by RemovalWork. Loop thread; texts are looked up on a worker.
#pragma once

#include <memory>

#include "tools/luziad/base/parts.h"
#include "tools/luziad/queries/queries.h"

namespace luzia {

/// At most so many in one request.
constexpr std::size_t kMostRemovals = 1'000;
/// Of one job in one command: with the others of its group they must fit there. What is left is erased by
/// further ones (RemovalWork).
constexpr std::size_t kMostTextsAtOnce = 2'000;

/// Whose job it is may remove it, and who is trusted: it cannot be brought back. `not_allowed`.
Status may_remove(const Caller& caller, const JobState& job);

class Removals {
 public:
  Removals(Parts& parts, Queries& queries) : parts_(parts), queries_(queries) {}
  static Status check(const Caller& caller, const wire::RemoveJobs& request);
  void take(const RequestId& to, const Caller& caller, const wire::RemoveJobs& request);

 private:
  struct Look;
  void answer(const RequestId& to, const CommandMeta& meta, const Caller& caller, Look& look);
  Result<JobOrder> order_of(const Caller& caller, const Look& look, std::size_t at);

  Parts& parts_;
  Queries& queries_;
};

}  // namespace luzia
