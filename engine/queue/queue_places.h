// Where each queued job stands: in the lines of jobs that may start, ignoring capacity and pauses, or among
// those whose start time is still to come. Pure.
#pragma once

#include <map>
#include <set>
#include <string>

#include "engine/job/job.h"
#include "engine/queue/queue_line.h"

namespace luzia {

class QueuePlaces {
 public:
  /// Tags that have a limit: they are part of a job's kind.
  void set_limited_tags(std::set<std::string> tags);
  /// Call after every evolve() of the job.
  void note(const JobState& job);
  /// Jobs whose start time has come join the lines. Also when the clock was set back, which holds some back
  /// again.
  void let_in(TimeUs now);
  /// Every line of startable jobs; none is empty.
  const std::map<QueueKind, QueueLine>& ready() const { return ready_; }
  /// nullptr: the job is not queued.
  const QueuePlace* find(const std::string& job) const;
  std::size_t size() const { return places_.size(); }
  /// The earliest start time after `now` of a job that could otherwise start; 0: none.
  TimeUs next_start_time(TimeUs now) const;

 private:
  std::vector<std::string> limited(const std::vector<std::string>& tags) const;
  void enter(const QueuePlace& place);
  void leave(const QueuePlace& place);

  std::set<std::string> limited_tags_;
  // Every queued job, startable or not. An ordered map, because a new job's id is usually the greatest: its
  // place is found at the end, in memory that was used a moment ago.
  std::map<std::string, QueuePlace> places_;
  std::map<QueueKind, QueueLine> ready_;
  std::map<TimeUs, QueueLine> delayed_;  // by start time, when they move to ready_
  TimeUs let_in_at_ = 0;                 // `now` of the last let_in()
};

}  // namespace luzia
