// Runs functions about a second later: attempts at what failed for a temporary reason. Loop thread.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "tools/luziad/base/loop.h"

namespace luzia {

class Later {
 public:
  explicit Later(uv_loop_t* loop) : timer_(loop) {}

  void run(std::function<void()> then) {
    waiting_.push_back(std::move(then));
    if (waiting_.size() > 1) return;
    timer_.start(kLaterMs, [this] {
      for (const auto& next : std::exchange(waiting_, {})) next();
    });
  }
  /// Drops what is waiting.
  void stop() {
    waiting_.clear();
    timer_.stop();
  }

 private:
  static constexpr std::uint64_t kLaterMs = 1'000;

  Timer timer_;
  std::vector<std::function<void()>> waiting_;
};

}  // namespace luzia
