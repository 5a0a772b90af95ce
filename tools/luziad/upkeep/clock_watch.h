// Detects steps of the wall clock relative to the monotonic one (set by hand or by NTP, or the machine
// slept).
#pragma once

#include "engine/base/time.h"

namespace luzia {

class ClockWatch {
 public:
  static constexpr TimeUs kSmallestStep = 5 * kSecondUs;
  /// `offset`: the last known wall time minus monotonic time.
  explicit ClockWatch(TimeUs offset) : offset_(offset) {}

  /// The step since the last call; 0 if there is only drift.
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
