// Durations that people enter: their upper limit, and their conversion to microseconds that cannot overflow
// when added to a moment. Pure, any thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/base/time.h"

namespace luzia {

/// Ten years. Requests and configuration with a longer duration are refused as mistakes.
constexpr std::uint64_t kLongestDurationMs = std::uint64_t{10} * 365 * 24 * 3'600 * 1'000;

/// `ms` in microseconds. Values above 3,000 years, which logs of earlier versions may hold, are cut to that.
constexpr TimeUs bounded_us(std::uint64_t ms) {
  constexpr std::uint64_t kFarMs = 100'000'000'000'000;
  return static_cast<TimeUs>(std::min(ms, kFarMs)) * kMillisecondUs;
}

}  // namespace luzia
