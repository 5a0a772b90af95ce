// Walking the hash chain: proves that no group was changed, dropped, inserted or moved.
#pragma once

#include <functional>
#include <stop_token>

#include "engine/log/event_log.h"

namespace luzia {

/// Takes groups in order and stops at the first that does not follow: `log_corrupt`, naming the position.
class ChainWalk {
 public:
  explicit ChainWalk(Tip start) : tip_(start) {}
  Status step(const Group& group);
  const Tip& tip() const { return tip_; }

 private:
  Tip tip_;
};

struct ChainReport {
  Tip tip;
  std::uint64_t groups = 0, events = 0, bytes = 0;
};

/// Walks the whole chain from the base to the tip at the time of the call and parses every event. Stops at
/// the first fault and names its position. `progress` gets the last position of each group. `cancelled`
/// (trouble) soon after a stop is asked for.
Result<ChainReport> verify_chain(const EventLog& log, const std::function<void(Position)>& progress = {},
                                 const std::stop_token& stop = {});

}  // namespace luzia
