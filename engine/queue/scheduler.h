// The scheduler: which queued jobs start now. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "engine/job/job.h"

namespace luzia {

struct Capacity {
  std::uint32_t max_running = 2;  // attempts with a process, starting ones included
};

/// Queued jobs in the order of start: higher priority first, then first come. Kept current by note().
/// Cost is logarithmic in the number of queued jobs, those of paused projects and those that wait for their
/// time included; starts() besides looks at each project once per job.
class Queue {
 public:
  /// The job changed; call after every evolve.
  void note(const JobState& job);
  void set_paused(const std::string& project, bool paused);  // empty project: everything
  bool paused(const std::string& project) const;

  /// Jobs to start at `now`, in order, as far as the capacity goes.
  std::vector<std::string> starts(const Capacity& capacity, TimeUs now);
  std::size_t queued() const { return place_.size(); }
  std::size_t running() const { return running_.size(); }
  /// Earliest not-before time after `now` of a queued job that could otherwise start; 0 = none.
  TimeUs next_start_time(TimeUs now) const;

 private:
  struct Place {
    std::uint8_t rank;  // 9 - priority
    Position queued;
    std::string job;
    std::string project;
    TimeUs not_before;
  };
  struct InOrder {
    bool operator()(const Place* a, const Place* b) const;
  };
  using Line = std::set<const Place*, InOrder>;  // into place_

  void leave(const Place& place);
  void let_in(TimeUs now);

  // Every queued job, startable or not. In order, because a new job's id is most often the greatest: its
  // place is found at the end, in memory that was used a moment ago.
  std::map<std::string, Place> place_;
  std::map<std::string, Line> ready_;  // by project: startable but for capacity and pauses
  std::map<TimeUs, Line> delayed_;     // by not-before time: will be ready then
  std::unordered_set<std::string> running_;
  std::set<std::string> paused_;
};

}  // namespace luzia
