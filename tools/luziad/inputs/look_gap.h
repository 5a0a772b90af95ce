// The time between two looks at the files of a job. Hints in quick succession are merged: an agent that
// writes without end is looked at every two seconds. Plain values.
#pragma once

#include <algorithm>

#include "engine/base/time.h"

namespace luzia {

class LookGap {
 public:
  /// How long a look should still wait.
  TimeUs left(TimeUs now) const { return std::max<TimeUs>(0, looked_at_ + gap_ - now); }
  TimeUs whole() const { return gap_; }
  /// A look begins.
  void begin(TimeUs now) {
    constexpr TimeUs kLeast = 20 * kMillisecondUs, kMost = 2 * kSecondUs;
    const bool in_a_row = now - looked_at_ < 2 * gap_;
    gap_ = in_a_row ? std::min(2 * gap_, kMost) : kLeast;
    looked_at_ = now;
  }

 private:
  TimeUs looked_at_ = 0, gap_ = 0;
};

}  // namespace luzia
