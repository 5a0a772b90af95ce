// Steps of flows that could not be dispatched because of a temporary problem (no descriptors, a disk that
// does not respond). They are retried until it works. Loop thread.
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

  /// Calls `take_up` once for each added step, after `pause_ms`.
  WaitingSteps(uv_loop_t* loop, std::uint64_t pause_ms, TakeUp take_up)
      : timer_(loop), pause_ms_(pause_ms), take_up_(std::move(take_up)) {}

  /// Logs the reason, once until the step proceeds.
  void add(const std::string& flow, const std::string& step, const Error& why);
  /// Stops retrying.
  void clear() { timer_.stop(); }
  /// The step proceeded, or is over.
  void forget(const std::string& flow, const std::string& step) { told_.erase({flow, step}); }

 private:
  using StepName = std::pair<std::string, std::string>;
  Timer timer_;
  std::uint64_t pause_ms_;
  TakeUp take_up_;
  std::set<StepName> waiting_, told_;
};

}  // namespace luzia
