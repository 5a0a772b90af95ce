#include "engine/queue/scheduler.h"

#include <algorithm>
#include <tuple>

namespace luzia {
namespace {

using St = schema::JobState;

bool occupies_a_place(const JobState& job) {
  return (job.state == St::starting || job.state == St::running || job.state == St::waiting) &&
         !job.attempt_over;
}

}  // namespace

bool Queue::InOrder::operator()(const Place* a, const Place* b) const {
  return std::tie(a->rank, a->queued, a->job) < std::tie(b->rank, b->queued, b->job);
}

/// Out of whichever line it stands in.
void Queue::leave(const Place& place) {
  if (const auto line = delayed_.find(place.not_before); line != delayed_.end()) {
    line->second.erase(&place);
    if (line->second.empty()) delayed_.erase(line);
  }
  if (const auto line = ready_.find(place.project); line != ready_.end()) {
    line->second.erase(&place);
    if (line->second.empty()) ready_.erase(line);
  }
}

/// Those whose time has come.
void Queue::let_in(TimeUs now) {
  while (!delayed_.empty() && delayed_.begin()->first <= now) {
    for (const Place* place : delayed_.begin()->second) ready_[place->project].insert(place);
    delayed_.erase(delayed_.begin());
  }
}

void Queue::note(const JobState& job) {
  const bool greatest = place_.empty() || place_.rbegin()->first < job.job;
  auto it = greatest ? place_.end() : place_.find(job.job);
  if (it != place_.end()) leave(it->second);
  if (occupies_a_place(job)) {
    running_.insert(job.job);
  } else {
    running_.erase(job.job);
  }
  if (job.state != St::queued) {
    if (it != place_.end()) place_.erase(it);
    return;
  }
  if (it == place_.end()) it = place_.try_emplace(it, job.job);
  Place& place = it->second;
  place = {static_cast<std::uint8_t>(9 - job.priority), job.queued_position, job.job, job.spec->project,
           job.not_before_us};
  if (job.held || !job.after.empty()) return;
  Line& line = place.not_before != 0 ? delayed_[place.not_before] : ready_[place.project];
  line.insert(line.end(), &place);  // a new job's place is most often the last
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

std::vector<std::string> Queue::starts(const Capacity& capacity, TimeUs now) {
  let_in(now);
  std::vector<std::string> jobs;
  if (paused_.contains("") || running_.size() >= capacity.max_running) return jobs;
  struct Front {
    Line::const_iterator next, end;
  };
  std::vector<Front> fronts;
  for (const auto& [project, line] : ready_) {
    if (!paused_.contains(project)) fronts.push_back({line.begin(), line.end()});
  }
  while (!fronts.empty() && running_.size() + jobs.size() < capacity.max_running) {
    const auto first = std::min_element(fronts.begin(), fronts.end(), [](const Front& a, const Front& b) {
      return InOrder()(*a.next, *b.next);
    });
    jobs.push_back((*first->next)->job);
    if (++first->next == first->end) fronts.erase(first);
  }
  return jobs;
}

TimeUs Queue::next_start_time(TimeUs now) const {
  const auto it = delayed_.upper_bound(now);
  return it == delayed_.end() ? 0 : it->first;
}

}  // namespace luzia
