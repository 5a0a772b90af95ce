#include "engine/queue/queue_places.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace luzia {

std::vector<std::string> QueuePlaces::limited(const std::vector<std::string>& tags) const {
  std::vector<std::string> limited;
  if (limited_tags_.empty()) return limited;
  std::ranges::copy_if(tags, std::back_inserter(limited),
                       [this](const std::string& tag) { return limited_tags_.contains(tag); });
  std::ranges::sort(limited);
  return limited;
}

void QueuePlaces::set_limited_tags(std::set<std::string> tags) {
  if (tags == limited_tags_) return;
  limited_tags_ = std::move(tags);
  ready_.clear();
  delayed_.clear();
  for (auto& [id, place] : places_) {
    place.kind.tags = limited(place.tags);
    enter(place);
  }
}

void QueuePlaces::enter(const QueuePlace& place) {
  if (!place.startable) return;
  QueueLine& line = place.not_before != 0 ? delayed_[place.not_before] : ready_[place.kind];
  line.insert(place);
}

/// Removes the place from the line it is in.
void QueuePlaces::leave(const QueuePlace& place) {
  if (const auto line = delayed_.find(place.not_before); line != delayed_.end()) {
    line->second.erase(place);
    if (line->second.empty()) delayed_.erase(line);
  }
  if (const auto line = ready_.find(place.kind); line != ready_.end()) {
    line->second.erase(place);
    if (line->second.empty()) ready_.erase(line);
  }
}

void QueuePlaces::let_in(TimeUs now) {
  if (now < std::exchange(let_in_at_, now)) {  // the clock was set back
    for (const auto& [id, place] : places_) {
      if (place.not_before == 0 || place.not_before <= now) continue;
      leave(place);
      enter(place);
    }
  }
  while (!delayed_.empty() && delayed_.begin()->first <= now) {
    for (const auto& entry : delayed_.begin()->second) ready_[entry.place->kind].insert(*entry.place);
    delayed_.erase(delayed_.begin());
  }
}

void QueuePlaces::note(const JobState& job) {
  const bool greatest = places_.empty() || places_.rbegin()->first < job.job;
  auto it = greatest ? places_.end() : places_.find(job.job);
  if (it != places_.end()) leave(it->second);
  if (job.state != schema::JobState::queued) {
    if (it != places_.end()) places_.erase(it);
    return;
  }
  if (it == places_.end()) it = places_.try_emplace(it, job.job);
  QueuePlace& place = it->second;
  QueueKind kind{std::min(job.priority, kHighestPriority), job.spec->project, job.spec->agent,
                 limited(job.spec->tags)};
  place = {std::move(kind), job.queued_position,  job.queued_us,
           job.job,         job.not_before_us,    !job.held && job.after.empty(),
           job.spec->tags,  job.spec->estimate_ms};
  enter(place);
}

const QueuePlace* QueuePlaces::find(const std::string& job) const {
  const auto it = places_.find(job);
  return it == places_.end() ? nullptr : &it->second;
}

TimeUs QueuePlaces::next_start_time(TimeUs now) const {
  const auto it = delayed_.upper_bound(now);
  return it == delayed_.end() ? 0 : it->first;
}

}  // namespace luzia
