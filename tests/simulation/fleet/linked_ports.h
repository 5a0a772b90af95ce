// The ports of Mirror and OrderTaker in the simulation. One thread at a time.
#pragma once

#include "tests/simulation/fleet/caller.h"

namespace luzia::test {

/// MemoryOrders behind a network.
class LinkedOrders : public OrderDatabase {
 public:
  LinkedOrders(Caller& caller, Caller::Connection connection)
      : caller_(caller),
        connection_(connection),
        orders_(std::make_shared<MemoryOrders>(caller.world.fleet, caller.machine.site->name())) {}

  bool is_usable() const override { return connection_.usable; }
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
  /// A call by which the machine takes part in orders.
  template <class Answer>
  Answer call(const std::string& words, std::function<Answer()> act);

  Caller& caller_;
  Caller::Connection connection_;
  std::shared_ptr<MemoryOrders> orders_;
};

/// The daemon's answers to what an OrderTaker asks.
class LinkedDaemon : public OrderDaemon {
 public:
  explicit LinkedDaemon(Caller& caller) : caller_(caller) {}
  Result<wire::ReplyUnion> ask(const std::string& person, const wire::RequestUnion& request) override;
  Result<std::vector<HeldJob>> held_jobs() override;
  Result<std::optional<std::string>> project_of(const std::string& job) override;
  Result<JobRoom> room(std::uint32_t slots) override;

 private:
  Caller& caller_;
};

/// Sites and groups behind a network: a transaction holds its site until it ends.
class LinkedMirrorStore : public MirrorStore {
 public:
  LinkedMirrorStore(Caller& caller, Caller::Connection connection)
      : caller_(caller), connection_(connection) {}
  ~LinkedMirrorStore() override { unlock(); }

  bool is_usable() const override { return connection_.usable; }
  Status transaction(const std::function<Status()>& body) override;
  Result<HeldSite> enter(const SiteName& name) override;
  Status copy(const SiteName& name, const GroupsRead& read) override;
  Result<Position> write_rows(FleetSession& daemon, const std::string& site, const Touched& touched) override;
  Status rebuild_rows(FleetSession& daemon, const std::string& site) override;
  Status set_rows_position(const std::string& site, Position position) override;
  Status note_fault(const SiteName& name, const std::string& fault) override;

 private:
  /// What the transaction has written so far.
  struct Draft {
    std::string site;
    HeldSite before;
    FleetRow row;
    std::map<std::string, FleetJob> jobs;
  };
  void unlock();
  Status commit();

  Caller& caller_;
  Caller::Connection connection_;
  std::shared_ptr<Draft> draft_;  // null: no transaction
};

}  // namespace luzia::test
