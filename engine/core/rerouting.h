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

class Rerouting {
 public:
  explicit Rerouting(const JobBook& jobs) : jobs_(jobs) {}

  /// The job has changed, or was loaded.
  void note(const JobState& job);
  /// The changes that are due, each named once.
  std::vector<std::pair<std::string, RerouteJob>> due(const AgentLimits& limits);

 private:
  const JobBook& jobs_;
  std::set<std::string> waiting_;  // jobs that have a list and may be rerouted
  std::set<std::string> noted_;    // those of them that have changed
  std::uint64_t version_ = 0;      // of the limits at the last call
};

}  // namespace luzia
