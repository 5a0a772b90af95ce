// The scheduler: which queued jobs start now. Pure.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/job/job.h"

namespace luzia {

struct Capacity {
  std::uint32_t max_running = 2;  // attempts with a process, starting ones included
};

/// Queued jobs in the order of start: higher priority first, then first come. Kept current by note();
/// cost is logarithmic in the number of queued jobs and independent of all others.
class Queue {
 public:
  /// The job changed; call after every evolve.
  void note(const JobState& job);
  void set_paused(const std::string& project, bool paused);  // empty project: everything
  bool paused(const std::string& project) const;

  /// Jobs to start at `now`, in order, as far as the capacity goes.
  std::vector<std::string> starts(const Capacity& capacity, TimeUs now) const;
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
    auto operator<=>(const Place&) const = default;
  };
  std::set<Place> ready_;                         // startable but for capacity, pauses and time
  std::multiset<TimeUs> delayed_;                 // not-before times of ready_
  std::unordered_map<std::string, Place> place_;  // every queued job, startable or not
  std::unordered_set<std::string> running_;
  std::set<std::string> paused_;
};

}  // namespace luzia
