// The orders in the fleet's database, over one connection. One thread.
#pragma once

#include "adapters/postgres/postgres.h"
#include "tools/luzia-fleet/order_ports.h"

namespace luzia {

class PostgresOrders : public OrderDatabase {
 public:
  /// Listens for orders. Errors: those of Postgres.
  static Result<std::unique_ptr<OrderDatabase>> over(Postgres database, const std::string& site);

  bool is_usable() const override { return database_.is_usable(); }
  Result<bool> wait(std::chrono::milliseconds most, int beside) override;
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
  Result<OrderReport> report() override;

 private:
  PostgresOrders(Postgres database, std::string site)
      : database_(std::move(database)), site_(std::move(site)) {}
  Result<PostgresRows> call(const std::string& sql, const std::vector<PostgresValue>& values);

  Postgres database_;
  std::string site_;
};

}  // namespace luzia
