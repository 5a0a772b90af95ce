// orders.sql passes the table of transitions by which the simulation of a fleet goes.
#include "tests/order_contract.h"

#include "tests/tools/luzia_fleet/fleet_database.h"
#include "tools/luzia-fleet/postgres_orders.h"

namespace luzia::test {
namespace {

class OrderContractTest : public FleetDatabaseTest, public OrdersUnderTest {
 protected:
  OrderDatabase& machine(const std::string& site) override {
    auto& machine = machines_[site];
    if (machine == nullptr) {
      auto made = PostgresOrders::over(connected(), site);
      EXPECT_TRUE(made) << made.error().message;
      machine = std::move(*made);
    }
    return *machine;
  }
  std::string place(const std::string& id, const std::string& to, const std::string& kind,
                    const std::string& about, int seconds) override {
    return asked("SELECT state FROM luzia.place_order(" + pg_text(id) + ", " + pg_text(to) + ", " +
                 pg_text(kind) + ", 'demo', " + (about.empty() ? "NULL" : pg_text(about)) + ", 'bytes', " +
                 std::to_string(seconds) + ")");
  }
  std::string look(const std::string& id) override {
    return asked("SELECT state FROM luzia.look_order(" + pg_text(id) + ")");
  }
  std::string withdraw(const std::string& id) override {
    return asked("SELECT state FROM luzia.withdraw_order(" + pg_text(id) + ")");
  }
  void add_job(const std::string& job, const std::string& site) override {
    (void)value("INSERT INTO luzia.jobs (site, id, project, position) VALUES (" + pg_text(site) + ", " +
                pg_text(job) + ", 'demo', 1) RETURNING id");
  }
  /// The server's clock stays: every moment in its rows becomes older.
  void pass(int seconds) override {
    const std::string by = " - make_interval(secs => " + std::to_string(seconds) + ")";
    (void)value("WITH moved AS (UPDATE luzia.orders SET placed_at = placed_at" + by +
                ", expires_at = expires_at" + by + ", lease_until = lease_until" + by +
                ", done_at = done_at" + by + " RETURNING 1) SELECT count(*) FROM moved");
  }
  /// The only value, "none" for NULL, or the SQLSTATE.
  std::string asked(const std::string& sql) const {
    Postgres database = connected();
    const auto found = database.run(sql);
    if (!found) return database.last_sqlstate();
    return found->rows.empty() ? "none" : found->rows.front().front().value_or("none");
  }

  std::map<std::string, std::unique_ptr<OrderDatabase>> machines_;
};

TEST_F(OrderContractTest, HoldsInPostgres) {
  EXPECT_EQ(OrderContract(*this).run(kOrderTransitions), "");
}

}  // namespace
}  // namespace luzia::test
