// Finds the jobs that should go on with another of their agents: when an agent is parked or let go on, and
// when a job with such a list begins to wait. Costs nothing while no job has a list. Loop thread.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/job_book.h"
#include "engine/queue/agent_limits.h"

namespace luzia {

/// In one group of the log: a limit of one agent may move any number of jobs.
inline constexpr std::size_t kMostReroutesAtOnce = 500;

class Rerouting {
 public:
  explicit Rerouting(const JobBook& jobs) : jobs_(jobs) {}

  /// The job has changed, or was loaded.
  void note(const JobState& job);
  /// The changes that are due, the oldest jobs first, each named once. If there are kMostReroutesAtOnce, the
  /// next call names more.
  std::vector<std::pair<std::string, RerouteJob>> due(const AgentLimits& limits);

 private:
  const JobBook& jobs_;
  std::set<std::string> waiting_;  // jobs that have a list and may be rerouted
  std::set<std::string> noted_;    // those of them that are still to be looked at
  std::uint64_t version_ = 0;      // of the limits at the last call
};

}  // namespace luzia
