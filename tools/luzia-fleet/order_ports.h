// What an OrderTaker works with: the orders in the fleet's database, and the machine's daemon. Implemented by
// PostgresOrders and DaemonOrders; the simulation has both in memory. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol.fb.h"
#include "tools/luzia-fleet/site.h"
#include "tools/read/job_room.h"
#include "tools/read/order_report.h"

namespace luzia {

/// What this machine takes: [fleet] orders and labels. `slots`: how many jobs it runs at once.
struct OrderRules {
  std::vector<std::string> kinds, labels;
  std::uint32_t slots = 1;
};

/// An order that this machine has claimed.
struct ClaimedOrder {
  std::string id;
  std::int64_t fence = 0;
  std::string kind, project, about, person, request;
};
/// An order that this machine has accepted and not finished.
struct AcceptedOrder {
  std::string id;
  std::int64_t fence = 0;
  std::string job;
};
/// A job of this machine that order `by_order` started anew on site `to_site`.
struct FencedJob {
  std::string job, project, by_order, to_site;
};
/// A queued job that is held for an order; `order` as in JobHeld.
struct HeldJob {
  std::string job, order;
};

/// The code of an error: what cannot be done now, such as a job whose directory does not answer, is done when
/// it is claimed again, or looked through. It holds up no other order.
inline constexpr const char* kLater = "order_later";

/// One connection; each call is the function of that name in orders.sql, for one site. Errors: those of
/// Postgres; `no_fleet_schema`; kLater: somebody holds the row.
class OrderDatabase {
 public:
  virtual ~OrderDatabase() = default;
  /// False after the connection was lost: connect anew.
  virtual bool is_usable() const = 0;
  /// Waits until there may be an order (true), that long at most, or until `beside` is readable.
  virtual Result<bool> wait(std::chrono::milliseconds most, int beside) = 0;

  /// What is mirrored of the site, without locking it; all 0: nothing.
  virtual Result<HeldSite> site() = 0;
  virtual Status offer(const OrderRules& rules) = 0;
  /// An order that several machines may take is left to the others until it has that age.
  virtual Result<std::optional<ClaimedOrder>> claim(const OrderRules& rules,
                                                    std::chrono::milliseconds least_age) = 0;
  /// Whether an order waits that others may take, too, whatever its age.
  virtual Result<bool> has_shared(const OrderRules& rules) = 0;
  /// Whether the claim still holds.
  virtual Result<bool> accept(const std::string& id, std::int64_t fence, const std::string& job) = 0;
  virtual Status finish(const std::string& id, std::int64_t fence, const Result<wire::ReplyUnion>& reply) = 0;
  virtual Status pass(const std::string& id, std::int64_t fence, const Error& why) = 0;
  virtual Status release_claims() = 0;
  virtual Result<std::vector<AcceptedOrder>> accepted() = 0;
  virtual Result<std::vector<FencedJob>> fences() = 0;
  virtual Status hear_fence(const FencedJob& fenced, const std::string& result) = 0;
  /// Who may place orders, and what was refused here; OrderTaker knows the rest.
  virtual Result<OrderReport> report() = 0;
};

/// Errors of kind `trouble`: there is no answer, so the daemon may have done it; others are its refusal.
class OrderDaemon {
 public:
  virtual ~OrderDaemon() = default;
  /// `person`: who asks; empty: the machine.
  virtual Result<wire::ReplyUnion> ask(const std::string& person, const wire::RequestUnion& request) = 0;
  virtual Result<std::vector<HeldJob>> held_jobs() = 0;
  /// nullopt: the log has no such job.
  virtual Result<std::optional<std::string>> project_of(const std::string& job) = 0;
  virtual Result<JobRoom> room(std::uint32_t slots) = 0;
};

}  // namespace luzia
