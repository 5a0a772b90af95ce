// The thread of `luzia-fleet run` that takes orders, beside the one that mirrors: an order waits for no copy.
#pragma once

#include <mutex>
#include <thread>

#include "tools/luzia-fleet/ending.h"
#include "tools/luzia-fleet/order_taker.h"
#include "tools/luzia-fleet/settings.h"

namespace luzia {

class OrderThread {
 public:
  /// What it is given must outlive it. It ends when `ending` is due, or at once if this machine takes no
  /// orders and holds no job for one.
  static Result<std::unique_ptr<OrderThread>> start(Invocation& invocation, const FleetSettings& settings,
                                                    const Ending& ending);
  ~OrderThread() { thread_.join(); }
  /// Any thread.
  OrderReport report() const;
  OrderThread(const OrderThread&) = delete;
  OrderThread& operator=(const OrderThread&) = delete;

 private:
  OrderThread() = default;
  void run(OrderTaker& taker, const Invocation& invocation, bool takes_any, const Ending& ending);

  mutable std::mutex mutex_;
  OrderReport report_;  // under mutex_
  std::thread thread_;
};

}  // namespace luzia
