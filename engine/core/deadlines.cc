#include "engine/core/deadlines.h"

namespace luzia {

void Deadlines::set(const std::string& job, TimeUs due) {
  if (due == 0 && !of_job_.contains(job)) return;
  auto [it, inserted] = of_job_.try_emplace(job, 0);
  if (it->second != due) {
    if (it->second != 0) by_moment_.erase({it->second, job});
    if (due != 0) by_moment_.insert({due, job});
    it->second = due;
  }
  if (due == 0) of_job_.erase(it);
}

std::vector<std::string> Deadlines::due(TimeUs now) const {
  std::vector<std::string> due;
  for (const auto& [moment, job] : by_moment_) {
    if (moment > now) break;
    due.push_back(job);
  }
  return due;
}

}  // namespace luzia
