// Durations that people ask for: how long they may be, and as microseconds that no sum with a moment
// overflows.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/base/time.h"

namespace luzia {

/// Ten years. Nobody means a longer one; requests and configuration with one are refused.
constexpr std::uint64_t kLongestDurationMs = std::uint64_t{10} * 365 * 24 * 3'600 * 1'000;

/// `ms` in microseconds; what is longer than 3,000 years, as logs of earlier programs may hold it, is cut to
/// that.
constexpr TimeUs bounded_us(std::uint64_t ms) {
  constexpr std::uint64_t kFarMs = 100'000'000'000'000;
  return static_cast<TimeUs>(std::min(ms, kFarMs)) * kMillisecondUs;
}

}  // namespace luzia
