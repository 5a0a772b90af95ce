// The monotonic clock, for limits and rests. Any thread.
#pragma once

#include <chrono>
#include <cstdint>

namespace luzia::web {

inline std::int64_t steady_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace luzia::web
