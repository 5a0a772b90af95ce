// The last hints of OutputWatcher, for people who look for a missed event. Loop thread.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "adapters/output_log/output_watcher.h"

namespace luzia {

class HintRing {
 public:
  void add(RawHint hint) {
    if (hints_.size() < kKept) {
      hints_.push_back(std::move(hint));
    } else {
      hints_[next_] = std::move(hint);
    }
    next_ = (next_ + 1) % kKept;
  }
  /// Oldest first.
  std::vector<RawHint> all() const {
    std::vector<RawHint> hints = hints_;
    if (next_ < hints.size())
      std::rotate(hints.begin(), hints.begin() + static_cast<std::ptrdiff_t>(next_), hints.end());
    return hints;
  }

 private:
  static constexpr std::size_t kKept = 256;

  std::vector<RawHint> hints_;
  std::size_t next_ = 0;
};

}  // namespace luzia
