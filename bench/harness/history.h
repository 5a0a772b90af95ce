// Generates synthetic histories for stores of any size: jobs of several projects that are dispatched, start,
// print, report, end and are retried, decided by the daemon's own deciders. The same shape gives the same
// bytes. Written in groups of a fixed size. Uses one additional thread for appending.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "engine/log/event_log.h"

namespace luzia::bench {

struct HistoryShape {
  std::uint64_t events = 100'000;  // at least; the jobs in progress then are finished
  std::uint64_t seed = 1;
  std::uint32_t group = 128;  // events per group, as a loaded daemon writes
  std::uint32_t live = 16;    // jobs in progress at the same time
  bool terse = false;         // jobs without output: the fewest events per job
  std::uint64_t jobs = 0;     // stop after this many jobs instead; 0: count events
};

struct HistoryCount {
  std::uint64_t events = 0, jobs = 0;
  std::string last_job;  // an ended one
};

/// `log` must be empty (`log_not_empty`, usage). `progress` occasionally receives the number of events so
/// far. Passes on errors of EventLog::append().
Result<HistoryCount> generate_history(EventLog& log, const HistoryShape& shape,
                                      const std::function<void(std::uint64_t)>& progress = {});

/// Creates a store at `path` with such a history and, if requested, its rows. It is made durable once, at the
/// end, so the disk does not limit the speed. An error leaves half a store.
Result<HistoryCount> generate_store(const std::string& path, const HistoryShape& shape, bool with_rows,
                                    const std::function<void(std::uint64_t)>& progress = {});

}  // namespace luzia::bench
