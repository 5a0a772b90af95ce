// Tells when the wall clock has stepped against the monotonic one (set by hand, by NTP, or a machine that
// slept).
#pragma once

#include "engine/base/time.h"

namespace luzia {

class ClockWatch {
 public:
  static constexpr TimeUs kSmallestStep = 5 * kSecondUs;
  /// `offset`: wall minus monotonic time, as it was last.
  explicit ClockWatch(TimeUs offset) : offset_(offset) {}

  /// The step since the last call, 0 if it is no more than drift.
  TimeUs step(TimeUs wall, TimeUs monotonic) {
    const TimeUs moved = wall - monotonic - offset_;
    if (moved < kSmallestStep && moved > -kSmallestStep) return 0;
    offset_ += moved;
    return moved;
  }
  TimeUs offset() const { return offset_; }

 private:
  TimeUs offset_;
};

}  // namespace luzia
