#include "engine/core/rerouting.h"

#include "engine/job/job_rerouting.h"

namespace luzia {

void Rerouting::note(const JobState& job) {
  if (!may_be_rerouted(job)) {
    if (waiting_.empty()) return;
    waiting_.erase(job.job);
    noted_.erase(job.job);
    return;
  }
  waiting_.insert(job.job);
  noted_.insert(job.job);
}

std::vector<std::pair<std::string, RerouteJob>> Rerouting::due(const AgentLimits& limits) {
  if (std::exchange(version_, limits.version()) != limits.version()) noted_ = waiting_;
  std::vector<std::pair<std::string, RerouteJob>> due;
  const auto is_parked = [&limits](std::string_view agent) { return limits.is_parked(std::string(agent)); };
  while (!noted_.empty() && due.size() < kMostReroutesAtOnce) {
    const std::string id = std::move(noted_.extract(noted_.begin()).value());
    const JobState* job = jobs_.find(id);
    if (job == nullptr) continue;
    if (auto wanted = wanted_route(*job, is_parked)) due.emplace_back(id, std::move(*wanted));
  }
  return due;
}

}  // namespace luzia
