// Takes orders of the fleet for this machine: claims them in the database, checks them, and asks the daemon.
// One thread.
//
// A dispatch is claimed, then queued and held in the machine's log, then accepted in the database if the
// claim still holds, then released. Whatever ends in between, settle() goes on from what log and database
// hold: a job that is held for an order is released if the order is this claim's, and cancelled if not. So no
// order runs twice, and none is forgotten. It keeps no state of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "adapters/postgres/postgres.h"
#include "adapters/socket/client.h"
#include "projections/rows/row_page.h"
#include "tools/read/job_room.h"
#include "tools/read/order_report.h"

namespace luzia {

/// What this machine takes: [fleet] orders and labels. `slots`: how many jobs it runs at once.
struct OrderRules {
  std::vector<std::string> kinds, labels;
  std::uint32_t slots = 1;
};

/// How old an order for several machines is when one with this room takes it. So the one that has most room
/// is first, and nobody needs to know how the others are; one that is dead is not waited for.
std::chrono::milliseconds delay_of(const JobRoom& room);
inline constexpr std::chrono::milliseconds kMostOrderDelay{4'000};

/// An order that this machine has claimed.
struct ClaimedOrder {
  std::string id;
  std::int64_t fence = 0;
  std::string kind, project, about, person, request;
};

class OrderTaker {
 public:
  using ConnectDatabase = std::function<Result<Postgres>()>;
  /// Connects to the machine's daemon as that person; empty: as the machine.
  using ConnectDaemon = std::function<Result<Client>(const std::string& person)>;
  OrderTaker(ConnectDatabase connect_database, ConnectDaemon connect_daemon, std::string site,
             OrderRules rules)
      : connect_database_(std::move(connect_database)),
        connect_daemon_(std::move(connect_daemon)),
        site_(std::move(site)),
        rules_(std::move(rules)) {
    report_.kinds = rules_.kinds;
    report_.labels = rules_.labels;
  }

  /// Connects and settles if necessary, and once a minute, then does all orders that are there. After an
  /// error the next step settles first. Errors: those of Postgres and Client; `no_fleet_schema`.
  Status step();
  /// What its people are told; as of the last step that found anything new.
  const OrderReport& report() const { return report_; }
  /// Waits until there may be an order, at most kLookForOrdersEvery, or until `beside` is readable.
  Status wait(int beside);
  /// How often it looks by itself: a notification can get lost, and a claim end without one.
  static constexpr std::chrono::milliseconds kLookForOrdersEvery{5'000};
  static_assert(kMostOrderDelay < kLookForOrdersEvery);

 private:
  struct HeldJob {
    std::string job, order;  // as in JobHeld
  };
  using Rows = std::function<Status(const RowPage&)>;
  using Clock = std::chrono::steady_clock;

  Status try_step();
  Status settle();
  Status settle_held(const HeldJob& held);
  Status finish_accepted();
  Status hear_fences();
  /// Asks the database for what it refused here.
  Status look_back();
  Result<std::chrono::milliseconds> delay();
  Result<std::optional<ClaimedOrder>> claim(std::chrono::milliseconds delay);
  Status perform(const ClaimedOrder& order);
  Status dispatch(const ClaimedOrder& order, const wire::RequestUnion& request);
  Result<wire::RequestUnion> checked_request(const ClaimedOrder& order);

  Result<PostgresRows> call(const std::string& sql, const std::vector<PostgresValue>& values);
  Result<bool> accept(const std::string& id, std::int64_t fence, const std::string& job);
  Status finish(const std::string& id, std::int64_t fence, const Result<wire::ReplyUnion>& reply);

  Result<wire::ReplyUnion> ask(const std::string& person, const wire::RequestUnion& request);
  Status visit_rows(wire::QueryT query, const Rows& visit);
  Result<std::vector<HeldJob>> held_jobs();
  /// Of this machine's own job; `no_such_job`.
  Result<std::string> project_of(const std::string& job);
  Status release(const std::string& job, const std::string& order);
  /// What the daemon says against it; empty: nothing.
  Result<std::string> cancel(const std::string& job, const std::string& command_id, const std::string& note);

  ConnectDatabase connect_database_;
  ConnectDaemon connect_daemon_;
  std::string site_;
  OrderRules rules_;
  std::optional<Postgres> database_;
  bool is_settled_ = false;
  Clock::time_point settled_at_{};
  OrderReport report_;
  bool is_notified_ = true;  // there may be an order that is too young
  std::chrono::milliseconds looks_in_ = kLookForOrdersEvery;
};

}  // namespace luzia
