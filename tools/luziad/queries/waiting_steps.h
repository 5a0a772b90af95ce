// Steps of flows that could not be handed over for trouble that passes (no descriptors, a disk that does not
// answer): they are taken up again after a while, until it works. Loop thread.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "engine/base/result.h"
#include "tools/luziad/base/loop.h"

namespace luzia {

class WaitingSteps {
 public:
  using TakeUp = std::function<void(const std::string& flow, const std::string& step)>;

  /// `take_up` is called for each step that was added, once, after `pause_ms`.
  WaitingSteps(uv_loop_t* loop, std::uint64_t pause_ms, TakeUp take_up)
      : timer_(loop), pause_ms_(pause_ms), take_up_(std::move(take_up)) {}

  /// The log is told why, once until the step goes on.
  void add(const std::string& flow, const std::string& step, const Error& why);
  /// None is taken up any more.
  void clear() { timer_.stop(); }
  /// The step goes on, or is over.
  void forget(const std::string& flow, const std::string& step) { told_.erase({flow, step}); }

 private:
  using StepName = std::pair<std::string, std::string>;
  Timer timer_;
  std::uint64_t pause_ms_;
  TakeUp take_up_;
  std::set<StepName> waiting_, told_;
};

}  // namespace luzia
