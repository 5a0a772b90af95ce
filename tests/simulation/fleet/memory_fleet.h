// The fleet's database in memory: the same transitions as orders.sql and the checks of groups in schema.sql,
// without roles. order_contract.h runs one table against this and against PostgreSQL. Each function is one
// transaction. Deterministic; one thread.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tools/luzia-fleet/mirror_store.h"
#include "tools/luzia-fleet/order_ports.h"

namespace luzia::test {

/// A row of luzia.orders. Empty texts and 0: NULL.
struct FleetOrder {
  std::string id, site, label, project, kind, about, about_site, request;
  TimeUs placed_at = 0, expires_at = 0;
  std::string state = "open";
  std::set<std::string> passed_by;
  std::string claimed_by;
  std::int64_t fence = 0;
  TimeUs lease_until = 0;
  std::string job, error;
  TimeUs done_at = 0;
};
/// Rows of luzia.sites, and of luzia.site_groups of that site.
struct FleetRow {
  HeldSite held;
  std::vector<std::shared_ptr<const Group>> groups;
  std::string fault;
};
struct FleetJob {
  std::string site, project;
};

class MemoryFleet {
 public:
  TimeUs now = 0;  // the server's clock
  /// Planted faults, which the simulation has to notice.
  bool accepts_any_fence = false, claims_never_end = false;

  /// What an operator calls. Errors have the SQLSTATE as their code.
  Result<FleetOrder> place(const std::string& id, const std::string& to, const std::string& kind,
                           const std::string& project, const std::string& about, const std::string& request,
                           std::int64_t seconds);
  Result<FleetOrder> look(const std::string& id);
  Result<FleetOrder> withdraw(const std::string& id);

  // What a machine calls.
  void offer(const std::string& site, const OrderRules& rules) { takers_[site] = rules; }
  bool has_shared(const std::string& site, const OrderRules& rules) const;
  std::optional<ClaimedOrder> claim(const std::string& site, const OrderRules& rules, TimeUs least_age);
  bool accept(const std::string& site, const std::string& id, std::int64_t fence, const std::string& job);
  bool finish(const std::string& site, const std::string& id, std::int64_t fence, const std::string& error);
  void pass(const std::string& site, const std::string& id, std::int64_t fence, const std::string& error);
  void release_claims(const std::string& site);
  std::vector<AcceptedOrder> accepted(const std::string& site) const;
  std::vector<FencedJob> fences(const std::string& site) const;
  void hear_fence(const std::string& site, const FencedJob& fenced);

  // Of logs.
  FleetRow& enter(const std::string& site) { return sites_[site]; }
  const FleetRow* find(const std::string& site) const;
  /// Adds groups to the row, as the trigger of site_groups allows. An error has the SQLSTATE as its code.
  static Status copy(FleetRow& row, const GroupsRead& read);
  void set_job(const std::string& job, FleetJob row) { jobs_[job] = std::move(row); }

  const std::map<std::string, FleetOrder>& orders() const { return orders_; }
  const std::map<std::string, FleetJob>& jobs() const { return jobs_; }
  bool has_unheard_fence() const;

 private:
  struct Fence {
    std::string site, project, by_order, to_site;
    bool heard = false;
  };
  void expire();
  bool is_takeable(const FleetOrder& order) const;
  bool is_left_to_others(const FleetOrder& order, const std::string& site, TimeUs least_age) const;
  Status find_about(FleetOrder& made, const std::string& to) const;
  bool has_taker(const FleetOrder& order) const;
  FleetOrder* claimed(const std::string& site, const std::string& id, std::int64_t fence);
  void end(FleetOrder& order, const std::string& state, const std::string& error);

  std::map<std::string, FleetOrder> orders_;
  std::map<std::string, OrderRules> takers_;
  std::map<std::string, Fence> fenced_;  // by job
  std::map<std::string, FleetRow> sites_;
  std::map<std::string, FleetJob> jobs_;
  std::int64_t last_fence_ = 0;
};

/// One machine's side of it, without a network between.
class MemoryOrders : public OrderDatabase {
 public:
  MemoryOrders(MemoryFleet& fleet, std::string site) : fleet_(fleet), site_(std::move(site)) {}
  bool is_usable() const override { return true; }
  Result<bool> wait(std::chrono::milliseconds /*most*/, int /*beside*/) override { return true; }
  Result<HeldSite> site() override;
  Status offer(const OrderRules& rules) override;
  Result<std::optional<ClaimedOrder>> claim(const OrderRules& rules,
                                            std::chrono::milliseconds least_age) override;
  Result<bool> has_shared(const OrderRules& rules) override;
  Result<bool> accept(const std::string& id, std::int64_t fence, const std::string& job) override;
  Status finish(const std::string& id, std::int64_t fence, const Result<wire::ReplyUnion>& reply) override;
  Status pass(const std::string& id, std::int64_t fence, const Error& why) override;
  Status release_claims() override;
  Result<std::vector<AcceptedOrder>> accepted() override;
  Result<std::vector<FencedJob>> fences() override;
  Status hear_fence(const FencedJob& fenced, const std::string& result) override;
  Result<OrderReport> report() override { return OrderReport(); }

 private:
  MemoryFleet& fleet_;
  std::string site_;
};

}  // namespace luzia::test
