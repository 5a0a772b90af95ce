// Which of three machines gets an order for any of them: one with room, and without room the one that lives.
#include "tests/e2e/fleet/orders_fixture.h"

namespace luzia {
namespace {

class OrdersAnyTest : public OrdersTest {
 protected:
  OrdersAnyTest() {
    init({"--machine", "c"});
    c_ = std::make_unique<FleetMachine>("c", url_of("luzia-c"), operator_toml(kAllOrders, "\"all\""));
    // With one slot, a machine that runs a job is full.
    full_ = std::make_unique<FleetMachine>(
        "a", url_of("luzia-a"), operator_toml(kAllOrders, "\"all\"") + "[queue]\nmax_running = 1\n");
    full_->start_daemon();
    b_.start_daemon();
    c_->start_daemon();
    wait_for_takers(3);
    (void)full_->dispatch_until("running", "sleep 600");
    (void)full_->dispatch("true");
  }
  /// Who has done it.
  std::string placed(const std::string& id, const std::string& to = "any") const {
    const Finished done = ordered(to, {"dispatch", "demo", "sleep 600", "--command-id", id});
    EXPECT_EQ(done.code, 0) << done.err;
    return order(id, "claimed_by");
  }

  std::unique_ptr<FleetMachine> c_, full_;
};

TEST_F(OrdersAnyTest, FullMachineLeavesOrdersToOthers) {
  for (int i = 0; i < 6; ++i) {
    const std::string to = i % 2 == 0 ? "any" : "all";
    EXPECT_NE(placed("order" + std::to_string(i), to), "a") << to;
  }
  EXPECT_EQ(value("SELECT count(*) FROM luzia.orders WHERE state = 'done'"), "6");
  EXPECT_EQ(placed("own", "a"), "a") << "it is for this machine alone";
}

TEST_F(OrdersAnyTest, FullMachineTakesWhatNobodyElseTakes) {
  b_.kill_daemon();
  c_->kill_daemon();
  EXPECT_EQ(placed("last"), "a");
}

/// What it says about itself is its own affair; a claim that it lets end is not.
TEST_F(OrdersAnyTest, ClaimThatLeadsToNothingGoesToAnother) {
  b_.kill_daemon();
  c_->kill_daemon();
  full_->kill_daemon();
  Postgres ana = connected_as("ana-" + name_), liar = connected_as("luzia-c");
  (void)ordered("any", {"dispatch", "demo", "true", "--command-id", "held"}, "1s");
  ASSERT_EQ(value(liar, "SELECT id FROM luzia.claim_order('c', '{dispatch}', '{}')"), "held");
  b_.start_daemon();
  (void)value("UPDATE luzia.orders SET lease_until = now() WHERE id = 'held' RETURNING id");
  EXPECT_EQ(value(liar, "SELECT id FROM luzia.claim_order('c', '{dispatch}', '{}')"), "(null)");
  EXPECT_TRUE(becomes("held", "done")) << order("held");
  EXPECT_EQ(order("held", "claimed_by"), "b");
}

}  // namespace
}  // namespace luzia
