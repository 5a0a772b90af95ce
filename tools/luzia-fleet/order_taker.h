// Takes orders of the fleet for this machine: claims them in the database, checks them, and asks the daemon.
// One thread.
//
// A dispatch is claimed, then queued and held in the machine's log, then accepted in the database if the
// claim still holds, then released. Whatever ends in between, settle() goes on from what log and database
// hold: a job that is held for an order is released if the order is this claim's, and cancelled if not. So no
// order runs twice, and none is forgotten. It keeps no state that decides about orders.
//
// If another log has the site's name, or this one went back behind what is mirrored, it takes none and
// touches none: what the database says of accepted orders is then not about this log.
#pragma once

#include <functional>
#include <memory>

#include "tools/luzia-fleet/order_ports.h"

namespace luzia {

/// How old an order for several machines is when one with this room takes it. So the one that has most room
/// is first, and nobody needs to know how the others are; one that is dead is not waited for.
std::chrono::milliseconds delay_of(const JobRoom& room);
inline constexpr std::chrono::milliseconds kMostOrderDelay{4'000};

class OrderTaker {
 public:
  using Connect = std::function<Result<std::unique_ptr<OrderDatabase>>()>;
  using Clock = std::chrono::steady_clock;
  /// `daemon` and `log`, both of the machine's daemon, must outlive it. `now`: the clock that it goes by.
  OrderTaker(Connect connect, OrderDaemon& daemon, FleetSession& log, SiteName name, OrderRules rules,
             std::function<Clock::time_point()> now = &Clock::now)
      : connect_(std::move(connect)),
        daemon_(daemon),
        log_(log),
        name_(std::move(name)),
        rules_(std::move(rules)),
        now_(std::move(now)) {
    report_.kinds = rules_.kinds;
    report_.labels = rules_.labels;
  }

  /// Connects and settles if necessary, and once a minute, then does all orders that are there. After an
  /// error the next step settles first. Errors: those of the ports, and of check_continues().
  Status step();
  /// What its people are told; as of the last settling, or step that found an order.
  const OrderReport& report() const { return report_; }
  /// Waits until it should step again, or until `beside` is readable.
  Status wait(int beside);
  /// How often it looks by itself: a notification can get lost, and a claim end without one.
  static constexpr std::chrono::milliseconds kLookForOrdersEvery{5'000};
  static_assert(kMostOrderDelay < kLookForOrdersEvery);

 private:
  Status try_step();
  Status settle();
  Status check_log();
  Status settle_held(const HeldJob& held);
  Status finish_accepted();
  Status hear_fences();
  /// Asks the database for what it refused here.
  Status look_back();
  Result<std::optional<ClaimedOrder>> claim();
  Status perform(const ClaimedOrder& order);
  Status dispatch(const ClaimedOrder& order, const wire::RequestUnion& request);
  Result<wire::RequestUnion> checked_request(const ClaimedOrder& order);

  /// Of this machine's own job; `no_such_job`.
  Result<std::string> project_of(const std::string& job);
  Status release(const std::string& job, const std::string& order);
  /// What the daemon says against it; empty: nothing.
  Result<std::string> cancel(const std::string& job, const std::string& command_id, const std::string& note);

  Connect connect_;
  OrderDaemon& daemon_;
  FleetSession& log_;
  SiteName name_;
  OrderRules rules_;
  std::function<Clock::time_point()> now_;
  std::unique_ptr<OrderDatabase> database_;
  bool is_settled_ = false;
  Clock::time_point settled_at_{};
  OrderReport report_;
  std::chrono::milliseconds left_{};  // how long it waited for an order that it leaves to others; 0: for none
  std::chrono::milliseconds looks_in_ = kLookForOrdersEvery;
};

}  // namespace luzia
