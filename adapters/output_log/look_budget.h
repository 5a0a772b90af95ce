// Limits the number of file checks per second, whatever the number of jobs: a token bucket that fills with
// time. Pure; loop thread.
#pragma once

#include <algorithm>

#include "engine/base/time.h"

namespace luzia {

class LookBudget {
 public:
  explicit LookBudget(std::uint32_t per_second) : per_second_(per_second), tokens_(burst()) {}

  /// Whether one more check is allowed now; if so, counts it.
  bool take(TimeUs now) {
    const double earned = static_cast<double>(std::max<TimeUs>(0, now - last_)) * per_second_ / kSecondUs;
    tokens_ = std::min(burst(), tokens_ + earned);
    last_ = now;
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
  }

 private:
  double burst() const { return std::max(1.0, per_second_ / 10); }

  double per_second_;
  double tokens_;
  TimeUs last_ = 0;
};

}  // namespace luzia
