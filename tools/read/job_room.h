// How many jobs a daemon has, and how many more it would start at once. Any thread.
#pragma once

#include <cstdint>

#include "adapters/config/config.h"
#include "protocol.fb.h"
#include "view.fb.h"

namespace luzia {

struct JobRoom {
  std::uint32_t slots = 0;    // 0: not known
  std::uint32_t running = 0;  // jobs that hold a slot
  std::uint32_t queued = 0;   // of a long queue: at least so many
  bool paused = false;        // it starts no jobs: paused or draining

  /// Negative: jobs wait already.
  std::int64_t free_slots() const {
    return static_cast<std::int64_t>(slots) - static_cast<std::int64_t>(running) - queued;
  }
  void add(const view::Job& job);
  void add(const view::QueueSwitch& each);
};

/// The slots of a daemon with this configuration.
std::uint32_t slots_of(const Config& config);

/// The query for the jobs to add; View::switches has the rest.
wire::QueryT jobs_for_room(bool long_queue);

}  // namespace luzia
