#include "engine/queue/scheduler.h"

namespace luzia {
namespace {

using St = schema::JobState;

bool occupies_a_place(const JobState& job) {
  return (job.state == St::starting || job.state == St::running || job.state == St::waiting) &&
         !job.attempt_over;
}

}  // namespace

void Queue::note(const JobState& job) {
  if (auto it = place_.find(job.job); it != place_.end()) {
    if (ready_.erase(it->second) > 0 && it->second.not_before != 0) {
      delayed_.erase(delayed_.find(it->second.not_before));
    }
    place_.erase(it);
  }
  if (occupies_a_place(job)) {
    running_.insert(job.job);
  } else {
    running_.erase(job.job);
  }
  if (job.state != St::queued) return;
  Place place{static_cast<std::uint8_t>(9 - job.priority), job.queued_position, job.job, job.spec->project,
              job.not_before_us};
  if (!job.held && job.after.empty()) {
    ready_.insert(place);
    if (place.not_before != 0) delayed_.insert(place.not_before);
  }
  place_.emplace(job.job, std::move(place));
}

void Queue::set_paused(const std::string& project, bool paused) {
  if (paused) {
    paused_.insert(project);
  } else {
    paused_.erase(project);
  }
}

bool Queue::paused(const std::string& project) const {
  return paused_.contains(project);
}

std::vector<std::string> Queue::starts(const Capacity& capacity, TimeUs now) const {
  std::vector<std::string> jobs;
  if (paused_.contains("")) return jobs;
  std::size_t taken = running_.size();
  for (auto it = ready_.begin(); it != ready_.end() && taken < capacity.max_running; ++it) {
    if (it->not_before > now || paused_.contains(it->project)) continue;
    jobs.push_back(it->job);
    ++taken;
  }
  return jobs;
}

TimeUs Queue::next_start_time(TimeUs now) const {
  const auto it = delayed_.upper_bound(now);
  return it == delayed_.end() ? 0 : *it;
}

}  // namespace luzia
