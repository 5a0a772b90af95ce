// Histories of made-up work, for stores of any size: jobs of several projects dispatched, started, printing,
// reporting, ending and being retried, by the same deciders that a daemon asks. The same shape gives the same
// bytes. Written in groups of a fixed size. One thread besides the caller appends.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "engine/log/event_log.h"

namespace luzia::bench {

struct HistoryShape {
  std::uint64_t events = 100'000;  // at least; the jobs under way then are brought to their ends
  std::uint64_t seed = 1;
  std::uint32_t group = 128;  // events per group: what a loaded daemon writes
  std::uint32_t live = 16;    // jobs under way at the same time
  bool terse = false;         // jobs that say nothing: the least events per job
  std::uint64_t jobs = 0;     // stop after so many jobs instead; 0: count events
};

struct HistoryCount {
  std::uint64_t events = 0, jobs = 0;
  std::string last_job;  // an ended one
};

/// `log` must be empty (`log_not_empty`, usage). `progress` gets the events so far now and then. Errors of
/// EventLog::append().
Result<HistoryCount> generate_history(EventLog& log, const HistoryShape& shape,
                                      const std::function<void(std::uint64_t)>& progress = {});

/// A new store at `path` with such a history and, if wanted, its rows. Made durable at its end, once: the
/// disk does not set the pace. An error leaves half a store.
Result<HistoryCount> generate_store(const std::string& path, const HistoryShape& shape, bool with_rows,
                                    const std::function<void(std::uint64_t)>& progress = {});

}  // namespace luzia::bench
