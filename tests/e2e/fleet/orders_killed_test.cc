// Whatever is killed or stopped while a machine takes an order: the order runs once, and none is forgotten.
#include <signal.h>

#include "tests/e2e/fleet/orders_fixture.h"

namespace luzia {
namespace {

class OrdersKilledTest : public OrdersTest {
 protected:
  void place(const std::string& to, const std::string& id) const {
    (void)ordered(to, {"dispatch", "demo", kNotedTask, "--command-id", id}, "1s");
  }
  /// It has looked through what its daemon holds, and asks it next when it has claimed an order.
  void settled(const FleetMachine& machine) const {
    EXPECT_EQ(ordered(machine.site(), {"dispatch", "demo", "true"}).code, 0);
  }
  /// The order ran once in the whole fleet, by the log of the machine that it names.
  void expect_ran_once(const std::string& id, const FleetMachine& machine) const {
    ASSERT_TRUE(becomes(id, "done")) << order(id) << " " << order(id, "error");
    EXPECT_EQ(order(id, "claimed_by"), machine.site());
    EXPECT_EQ(machine.ended(order(id, "job"))["state"], "completed");
    EXPECT_EQ(runs(a_) + runs(b_), 1U);
  }
};

class OrdersKilledAtTest : public OrdersKilledTest, public testing::WithParamInterface<const char*> {};

/// luzia-fleet ends at each point, and so does the daemon afterwards, which holds what the log has.
TEST_P(OrdersKilledAtTest, OrderRunsOnce) {
  b_.start_daemon_that_ends_at(std::string(GetParam()) + "@1");
  wait_for_takers(1);
  const pid_t first = b_.fleet_pid();
  ASSERT_NE(first, 0);
  place("b", "order");
  ASSERT_TRUE(wait_until([first] { return !is_running(first); })) << "it does not pass " << GetParam();
  b_.kill_and_start_daemon();
  expect_ran_once("order", b_);
  Postgres database = connected_as("postgres");
  EXPECT_EQ(mirror_difference(b_, database), "");
}

INSTANTIATE_TEST_SUITE_P(Points, OrdersKilledAtTest,
                         testing::Values("order.claimed", "order.held", "order.accepted", "order.released"));

/// Whoever withdraws an order in a transaction, and leaves it open, holds up this order and no other.
TEST_F(OrdersKilledTest, OpenTransactionHoldsUpItsOrderOnly) {
  b_.start_daemon();
  wait_for_takers(1);
  settled(b_);
  const pid_t daemon = b_.daemon_pid();
  ::kill(daemon, SIGSTOP);
  place("b", "locked");
  ASSERT_TRUE(becomes("locked", "claimed"));
  Postgres ana = connected_as("ana-" + name_);
  ASSERT_TRUE(ana.script("BEGIN; SELECT luzia.withdraw_order('locked')"));
  ::kill(daemon, SIGCONT);
  place("b", "next");
  EXPECT_TRUE(becomes("next", "done")) << order("next");
  EXPECT_EQ(order("locked"), "claimed");
  ASSERT_TRUE(ana.script("COMMIT"));
  EXPECT_EQ(order("locked"), "refused");
  b_.kill_fleet();
  const auto held = [&] {
    return Json::parse(b_.luzia({"jobs", "--state", "queued", "--json"}).out, nullptr, false)["jobs"].size();
  };
  EXPECT_TRUE(wait_until([&] { return held() == 0; })) << "the next luzia-fleet cancels its job";
  EXPECT_EQ(b_.ended(order("next", "job"))["state"], "completed");
  EXPECT_EQ(runs(b_), 1U);
}

/// The machine comes back after its lease: what it holds is cancelled, and what another machine began runs
/// on.
TEST_F(OrdersKilledTest, LostLeaseCancelsTheHeldJob) {
  b_.start_daemon();
  wait_for_takers(1);
  settled(b_);
  const pid_t fleet = b_.fleet_pid(), daemon = b_.daemon_pid();
  ::kill(daemon, SIGSTOP);
  place("b", "order");
  ASSERT_TRUE(becomes("order", "claimed"));
  a_.start_daemon();
  ::kill(fleet, SIGSTOP);
  (void)value("UPDATE luzia.orders SET lease_until = now(), site = NULL WHERE id = 'order' RETURNING id");
  ASSERT_TRUE(becomes("order", "done")) << order("order");
  ::kill(daemon, SIGCONT);
  Json held;
  ASSERT_TRUE(wait_until([&] {
    held = Json::parse(b_.luzia({"jobs", "--state", "queued", "--json"}).out, nullptr, false)["jobs"];
    return held.size() == 1;
  })) << "the paused luzia-fleet had asked its daemon before";
  const std::string lost = held[0]["id"];
  EXPECT_THAT(b_.luzia({"why", lost}).out, HasSubstr("it is held until the fleet accepts order order"));
  EXPECT_THAT(b_.luzia({"resume", lost}).err, HasSubstr("is held until the fleet accepts order order"));
  ::kill(fleet, SIGCONT);
  EXPECT_EQ(b_.ended(lost)["state"], "cancelled");
  expect_ran_once("order", a_);
  EXPECT_EQ(runs(b_), 0U);
}

TEST_F(OrdersKilledTest, KilledDatabaseLosesAndRepeatsNothing) {
  start_both();
  for (const char* id : {"o1", "o2", "o3", "o4", "o5", "o6"}) {
    place("b", id);
    if (std::string_view(id) == "o3") {
      server_->kill();
      server_->restart();
    }
  }
  std::size_t placed = 0;
  for (const char* id : {"o1", "o2", "o3", "o4", "o5", "o6"}) {
    if (order(id) == "(no row)") continue;  // the database was away
    ++placed;
    EXPECT_TRUE(becomes(id, "done")) << id << " " << order(id);
    EXPECT_EQ(b_.ended(order(id, "job"))["state"], "completed");
  }
  EXPECT_GE(placed, 3U);
  EXPECT_EQ(runs(b_), placed);
}

/// An acknowledged order is on the synchronous standby, too.
TEST(PromotedOrdersTest, EachOrderRunsOnce) {
  const auto primary = PostgresServer::start();
  const auto standby = PostgresServer::standby_of(*primary);
  const Finished made = init_fleet_database(primary->url("fleet"), {"--machine", "a"});
  ASSERT_EQ(made.code, 0) << made.err;
  ASSERT_EQ(init_fleet_database(primary->url("fleet"), {"--operator", "ana", "--projects", "demo"}).code, 0);
  const std::string hosts = "host=" + primary->folder() + "," + standby->folder() + " dbname=fleet user=";
  FleetMachine machine(
      "a", hosts + "luzia-a",
      "people_url = \"" + hosts + "ana\"\norders = [" + kAllOrders + "]\n" + demo_user_toml());
  const auto ordered = [&machine](const std::string& id, const std::string& patience) {
    return machine.luzia(
        {"--on", "fleet:a", "--patience", patience, "dispatch", "demo", kNotedTask, "--command-id", id});
  };
  machine.start_daemon();
  EXPECT_TRUE(wait_until([&] { return ordered("before", "10s").code == 0; }));
  machine.stop_daemon();
  EXPECT_EQ(ordered("between", "1s").code, 5) << "nobody is there to take it";
  primary->kill();
  standby->promote();
  machine.start_daemon();
  for (const char* id : {"before", "between", "after"}) {
    Finished done;
    EXPECT_TRUE(wait_until([&] { return (done = ordered(id, "30s")).code == 0; })) << done.err;
    EXPECT_EQ(machine.ended(lines_of(done.out).front())["state"], "completed");
  }
  EXPECT_EQ(lines_of(read_text(machine.project() + "/runs")).size(), 3U);
}

}  // namespace
}  // namespace luzia
