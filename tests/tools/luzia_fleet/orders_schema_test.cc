// What the database enforces about orders, and who may do what.
#include "tests/tools/luzia_fleet/fleet_database.h"

namespace luzia::test {
namespace {

class OrdersSchemaTest : public FleetDatabaseTest {
 protected:
  OrdersSchemaTest() : ana_("ana-" + name_), eve_("eve-" + name_) {
    init({machine_role("a"),
          machine_role("b"),
          {.role = ana_, .projects = {"demo"}, .orders = true},
          {.role = eve_, .projects = {"demo"}}});
    for (const std::string site : {"a", "b"}) {
      Postgres machine = connected_as("luzia-" + site);
      EXPECT_TRUE(machine.run("SELECT luzia.enter_site('" + site + "', 'h', '1')"));
      EXPECT_TRUE(
          machine.run("SELECT luzia.offer_orders('" + site + "', '{dispatch,answer,retry}', '{all}')"));
    }
    (void)value(
        "INSERT INTO luzia.jobs (site, id, project, position) VALUES ('a', 'mine', 'demo', 1), "
        "('a', 'other', 'secret', 1), ('a', 'both', 'demo', 1), ('b', 'both', 'demo', 1) RETURNING id");
  }

  /// The value of a query by that role, or the SQLSTATE of its error.
  static std::string asked(Postgres& as, const std::string& sql) {
    const auto found = as.run(sql);
    if (!found) return as.last_sqlstate();
    return found->rows.empty() ? "(no row)" : found->rows.front().front().value_or("(null)");
  }
  static std::string place(const std::string& id, const std::string& to, const std::string& about = "NULL",
                           const std::string& kind = "dispatch", const std::string& project = "demo") {
    return "SELECT state FROM luzia.place_order('" + id + "', '" + to + "', '" + kind + "', '" + project +
           "', " + about + ", 'bytes', 60)";
  }
  static std::string claim(const std::string& site) {
    return "SELECT id || ' ' || fence FROM luzia.claim_order('" + site +
           "', '{dispatch,answer,retry}', '{all}')";
  }
  static std::string accept(const std::string& site, const std::string& id, int fence,
                            const std::string& job) {
    return "SELECT luzia.accept_order('" + site + "', '" + id + "', " + std::to_string(fence) + ", '" + job +
           "')";
  }

  std::string ana_, eve_;
};

TEST_F(OrdersSchemaTest, OperatorOrdersInItsProjectsOnly) {
  Postgres ana = connected_as(ana_);
  EXPECT_EQ(asked(ana, place("1", "any")), "open");
  EXPECT_EQ(asked(ana, place("2", "any", "NULL", "dispatch", "secret")), "42501");
  EXPECT_EQ(asked(ana, place("2", "any", "'other'", "answer")), "LZ005");
  EXPECT_EQ(asked(ana, place("2", "any", "'none'", "answer")), "LZ005");
  EXPECT_EQ(asked(ana, place("2", "any", "'both'", "answer")), "LZ005")
      << "two machines say that they have it";
  EXPECT_EQ(asked(ana, place("2", "b", "'mine'", "answer")), "LZ005") << "it is not there";
  EXPECT_EQ(asked(ana, place("2", "nowhere")), "LZ005");
  EXPECT_EQ(asked(ana, place("2", "any", "NULL", "cancel")), "LZ005") << "no machine takes it";
  EXPECT_EQ(asked(ana, place(std::string(101, 'x'), "any")), "23514");
  EXPECT_EQ(asked(ana, place("a b", "any")), "23514");
  EXPECT_EQ(asked(ana, place("1", "any")), "open") << "the same again";
  EXPECT_EQ(asked(ana, place("1", "b")), "LZ004");
  EXPECT_EQ(value("SELECT count(*) FROM luzia.orders"), "1");
}

TEST_F(OrdersSchemaTest, NobodyWritesTheTables) {
  ASSERT_EQ(asked(*std::make_unique<Postgres>(connected_as(ana_)), place("1", "any")), "open");
  for (const std::string& role : {ana_, eve_, std::string("luzia-a")}) {
    Postgres as = connected_as(role);
    for (const char* table : {"orders", "order_takers", "fenced_jobs", "operator_projects"}) {
      EXPECT_EQ(asked(as, std::string("DELETE FROM luzia.") + table), "42501") << role;
      EXPECT_EQ(asked(as, std::string("INSERT INTO luzia.") + table + " DEFAULT VALUES"), "42501") << role;
    }
    EXPECT_EQ(asked(as, "UPDATE luzia.orders SET state = 'done'"), "42501") << role;
    EXPECT_EQ(asked(as, "SELECT luzia.expire_orders()"), "42501") << role;
    EXPECT_EQ(asked(as, "SELECT nextval('luzia.order_fence')"), "42501") << role;
  }
}

TEST_F(OrdersSchemaTest, ReadersAndMachinesPlaceNothing) {
  Postgres eve = connected_as(eve_), a = connected_as("luzia-a");
  EXPECT_EQ(asked(eve, place("1", "any")), "42501");
  EXPECT_EQ(asked(a, place("1", "any")), "42501");
  EXPECT_EQ(asked(eve, "SELECT count(*) FROM luzia.orders"), "42501");
  EXPECT_EQ(asked(a, "SELECT count(*) FROM luzia.orders"), "42501");
  EXPECT_EQ(asked(eve, claim("a")), "42501");
}

TEST_F(OrdersSchemaTest, MachineClaimsForItselfOnly) {
  Postgres ana = connected_as(ana_), a = connected_as("luzia-a"), b = connected_as("luzia-b");
  ASSERT_EQ(asked(ana, place("1", "a")), "open");
  EXPECT_EQ(asked(b, claim("b")), "(null)") << "it is for a";
  EXPECT_EQ(asked(b, claim("a")), "42501");
  EXPECT_EQ(asked(b, "SELECT luzia.offer_orders('a', '{}', '{}')"), "42501");
  EXPECT_EQ(asked(b, "SELECT luzia.release_claims('a')"), "42501");
  EXPECT_EQ(asked(b, "SELECT count(*) FROM luzia.accepted_orders('a')"), "42501");
  EXPECT_EQ(asked(b, "SELECT count(*) FROM luzia.fences_of('a')"), "42501");
  EXPECT_EQ(asked(a, claim("a")), "1 1");
  EXPECT_EQ(asked(b, accept("b", "1", 1, "j")), "f") << "a has claimed it";
  EXPECT_EQ(asked(b, "SELECT luzia.finish_order('b', '1', 1, 'done', NULL, NULL)"), "f");
  EXPECT_EQ(asked(a, accept("a", "1", 1, "j")), "t");
}

TEST_F(OrdersSchemaTest, FenceEndsAnEarlierClaim) {
  Postgres ana = connected_as(ana_), a = connected_as("luzia-a"), b = connected_as("luzia-b");
  ASSERT_EQ(asked(ana, place("1", "all")), "open");
  EXPECT_EQ(asked(a, claim("a")), "1 1");
  EXPECT_EQ(asked(b, claim("b")), "(null)") << "the lease holds";
  (void)value("UPDATE luzia.orders SET lease_until = now() RETURNING id");
  EXPECT_EQ(asked(b, claim("b")), "1 2");
  EXPECT_EQ(asked(a, accept("a", "1", 1, "ja")), "f");
  EXPECT_EQ(asked(b, accept("b", "1", 2, "jb")), "t");
  EXPECT_EQ(asked(b, accept("b", "1", 2, "jb")), "t") << "a repetition";
  EXPECT_EQ(asked(b, accept("b", "1", 2, "jc")), "f");
  (void)value("UPDATE luzia.orders SET lease_until = now() RETURNING id");
  EXPECT_EQ(asked(a, claim("a")), "(null)") << "a lease covers the start only";
  EXPECT_EQ(asked(ana, "SELECT state FROM luzia.withdraw_order('1')"), "LZ006");
  EXPECT_EQ(asked(b, "SELECT luzia.finish_order('b', '1', 2, 'done', 'r', NULL)"), "t");
  EXPECT_EQ(asked(b, "SELECT luzia.finish_order('b', '1', 2, 'refused', NULL, NULL)"), "f");
  EXPECT_EQ(asked(ana, "SELECT state FROM luzia.look_order('1')"), "done");
}

/// A machine with little room gives its own delay; an order for it alone has nobody else.
TEST_F(OrdersSchemaTest, OrderForSeveralIsLeftToThoseWithoutDelay) {
  Postgres ana = connected_as(ana_), a = connected_as("luzia-a"), b = connected_as("luzia-b");
  const std::string slow = "SELECT id FROM luzia.claim_order('a', '{dispatch}', '{all}', 60000)";
  for (const char* to : {"any", "all"}) {
    const std::string id = std::string("for-") + to;
    ASSERT_EQ(asked(ana, place(id, to)), "open");
    EXPECT_EQ(asked(a, slow), "(null)") << to;
    EXPECT_THAT(asked(b, claim("b")), StartsWith(id));
  }
  ASSERT_EQ(asked(ana, place("old", "any")), "open");
  (void)value("UPDATE luzia.orders SET placed_at = now() - interval '61 s' WHERE id = 'old' RETURNING id");
  EXPECT_EQ(asked(a, slow), "old") << "nobody else takes it";
  ASSERT_EQ(asked(ana, place("own", "a")), "open");
  EXPECT_EQ(asked(a, slow), "own");
}

/// It may be one that claims and does nothing.
TEST_F(OrdersSchemaTest, MachineThatLetItsClaimEndComesAfterOthers) {
  Postgres ana = connected_as(ana_), a = connected_as("luzia-a"), b = connected_as("luzia-b");
  ASSERT_EQ(asked(ana, place("1", "any")), "open");
  EXPECT_EQ(asked(a, claim("a")), "1 1");
  (void)value("UPDATE luzia.orders SET lease_until = now() RETURNING id");
  EXPECT_EQ(asked(a, claim("a")), "(null)");
  EXPECT_EQ(asked(b, claim("b")), "1 2");
  (void)value("UPDATE luzia.orders SET lease_until = now() - interval '11 s' RETURNING id");
  EXPECT_EQ(asked(b, claim("b")), "1 3") << "there is nobody else";
}

TEST_F(OrdersSchemaTest, OperatorLeavesConnectionsToOthers) {
  EXPECT_EQ(value("SELECT rolconnlimit FROM pg_roles WHERE rolname = '" + ana_ + "'"), "16");
  EXPECT_EQ(value("SELECT rolconnlimit FROM pg_roles WHERE rolname = '" + eve_ + "'"), "-1") << "a reader";
  const std::string kept = value("SELECT rolconfig::text FROM pg_roles WHERE rolname = '" + ana_ + "'");
  EXPECT_THAT(kept, AllOf(HasSubstr("statement_timeout=60s"), HasSubstr("idle_session_timeout=10min"),
                          HasSubstr("idle_in_transaction_session_timeout=60s")));
  std::vector<Postgres> held;
  for (int i = 0; i < 16; ++i) held.push_back(connected_as(ana_));
  EXPECT_FALSE(Postgres::connect({.url = server_->url_of(ana_, name_)}));
  Postgres a = connected_as("luzia-a");
  EXPECT_EQ(asked(a, claim("a")), "(null)") << "machines go on";
}

TEST_F(OrdersSchemaTest, MachineHearsWhatItRefusedAndFromWhomItTakesOrders) {
  Postgres ana = connected_as(ana_), a = connected_as("luzia-a"), b = connected_as("luzia-b");
  const std::string refused = "SELECT string_agg(id || ' ' || error, ';') FROM luzia.refused_orders('a')";
  for (const char* id : {"1", "2"}) ASSERT_EQ(asked(ana, place(id, "a")), "open");
  EXPECT_EQ(asked(a, claim("a")), "1 1");
  ASSERT_EQ(asked(a, "SELECT luzia.finish_order('a', '1', 1, 'refused', 'r', 'no user')"), "t");
  EXPECT_EQ(asked(a, claim("a")), "2 2");
  EXPECT_EQ(asked(ana, "SELECT state FROM luzia.withdraw_order('2')"), "refused");
  EXPECT_EQ(asked(a, refused), "1 no user") << "and not what was withdrawn";
  EXPECT_EQ(asked(b, refused), "42501");
  EXPECT_EQ(asked(b, "SELECT count(*) FROM luzia.operators_for('a')"), "42501");
  EXPECT_EQ(asked(a, "SELECT projects FROM luzia.operators_for('a') WHERE role = '" + ana_ + "'"), "demo");
  (void)value("UPDATE luzia.orders SET done_at = now() - interval '25 hours' RETURNING id");
  EXPECT_EQ(asked(a, refused), "(null)");
}

TEST_F(OrdersSchemaTest, WithdrawnOrExpiredOrdersAreNotAccepted) {
  Postgres ana = connected_as(ana_), a = connected_as("luzia-a");
  ASSERT_EQ(asked(ana, place("1", "a")), "open");
  ASSERT_EQ(asked(ana, place("2", "a")), "open");
  EXPECT_EQ(asked(a, claim("a")), "1 1");
  EXPECT_EQ(asked(ana, "SELECT state FROM luzia.withdraw_order('1')"), "refused");
  EXPECT_EQ(asked(a, accept("a", "1", 1, "j")), "f");
  (void)value("UPDATE luzia.orders SET expires_at = now() WHERE id = '2' RETURNING id");
  EXPECT_EQ(asked(a, claim("a")), "(null)");
  EXPECT_EQ(asked(ana, "SELECT state FROM luzia.look_order('2')"), "expired");
}

TEST_F(OrdersSchemaTest, ExpiredClaimIsNeitherAcceptedNorClaimed) {
  Postgres ana = connected_as(ana_), a = connected_as("luzia-a"), b = connected_as("luzia-b");
  ASSERT_EQ(asked(ana, place("1", "any")), "open");
  EXPECT_EQ(asked(a, claim("a")), "1 1");
  (void)value("UPDATE luzia.orders SET lease_until = now(), expires_at = now() RETURNING id");
  EXPECT_EQ(asked(a, accept("a", "1", 1, "j")), "f") << "the machine was away until then";
  EXPECT_EQ(asked(b, claim("b")), "(null)");
}

TEST_F(OrdersSchemaTest, OtherMachinesWithTheSameJobHoldUpNobodyWhoNamesIts) {
  Postgres ana = connected_as(ana_);
  EXPECT_EQ(asked(ana, place("1", "a", "'both'", "answer")), "open");
  EXPECT_EQ(value("SELECT about_site FROM luzia.orders"), "a");
  EXPECT_EQ(asked(ana, place("2", "a", "'other'", "answer")), "LZ005") << "in another project";
}

TEST_F(OrdersSchemaTest, RequestIsForItsMachineOnlyAndGoesWithTheOrder) {
  const std::string bob = "bob-" + name_;
  init({{.role = bob, .projects = {"demo"}, .orders = true}});
  Postgres ana = connected_as(ana_), other = connected_as(bob), a = connected_as("luzia-a");
  ASSERT_EQ(asked(ana, place("1", "a")), "open");
  EXPECT_EQ(asked(other, "SELECT state FROM luzia.orders"), "open");
  EXPECT_EQ(asked(other, "SELECT request FROM luzia.orders"), "42501");
  EXPECT_EQ(asked(other, "SELECT request FROM luzia.look_order('1')"), "(null)");
  EXPECT_EQ(asked(a, "SELECT convert_from(request, 'UTF8') FROM luzia.claim_order('a', '{dispatch}', '{}')"),
            "bytes");
  EXPECT_EQ(asked(other, "SELECT request FROM luzia.withdraw_order('1')"), "(null)");
  EXPECT_EQ(value("SELECT request = sha256('bytes') FROM luzia.orders"), "t") << "secrets do not stay";
  EXPECT_EQ(asked(ana, place("1", "a")), "refused") << "the same again";
  EXPECT_EQ(asked(ana, "SELECT state FROM luzia.place_order('1', 'a', 'dispatch', 'demo', NULL, 'x', 60)"),
            "LZ004");
}

TEST_F(OrdersSchemaTest, RefusedOrderShowsNoSecretInTheErrorsOfTheServer) {
  Postgres ana = connected_as(ana_);
  const auto refused = ana.run(place("a b", "any"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, Not(HasSubstr("6279746573"))) << "the request, in hexadecimal digits";
}

/// A refusal repeats what it refuses, so an order could have a reply that is too long.
TEST_F(OrdersSchemaTest, LongReplyEndsTheOrder) {
  Postgres ana = connected_as(ana_), a = connected_as("luzia-a");
  const std::string reply = "convert_to(repeat('x', 2000000), 'UTF8'), repeat('x', 2000000))";
  ASSERT_EQ(asked(ana, place("1", "a")), "open");
  EXPECT_EQ(asked(a, claim("a")), "1 1");
  EXPECT_TRUE(a.run("SELECT luzia.pass_order('a', '1', 1, " + reply));
  ASSERT_EQ(asked(ana, place("2", "a")), "open");
  EXPECT_EQ(asked(a, claim("a")), "2 2");
  EXPECT_EQ(asked(a, "SELECT luzia.finish_order('a', '2', 2, 'refused', " + reply), "t");
  EXPECT_EQ(value("SELECT count(*) FROM luzia.orders WHERE state = 'refused' AND reply IS NULL AND "
                  "length(error) = 1000"),
            "2");
}

TEST_F(OrdersSchemaTest, OrdersOfLongAgoAreForgotten) {
  Postgres ana = connected_as(ana_), a = connected_as("luzia-a");
  ASSERT_EQ(asked(ana, place("1", "a")), "open");
  EXPECT_EQ(asked(ana, "SELECT state FROM luzia.withdraw_order('1')"), "refused");
  (void)value("UPDATE luzia.orders SET done_at = now() - interval '29 days' RETURNING id");
  EXPECT_EQ(asked(a, claim("a")), "(null)");
  EXPECT_EQ(value("SELECT count(*) FROM luzia.orders"), "1");
  (void)value("UPDATE luzia.orders SET done_at = now() - interval '31 days' RETURNING id");
  EXPECT_EQ(asked(a, claim("a")), "(null)");
  EXPECT_EQ(value("SELECT count(*) FROM luzia.orders"), "0");
}

TEST_F(OrdersSchemaTest, FloodsAreRefused) {
  Postgres ana = connected_as(ana_), a = connected_as("luzia-a");
  const std::string flood =
      "DO $$ BEGIN FOR i IN 1..300 LOOP PERFORM luzia.place_order('f' || i, 'a', 'dispatch', 'demo', NULL, "
      "convert_to(repeat('x', 1048576), 'UTF8'), 60); END LOOP; END $$";
  EXPECT_EQ(asked(ana, flood), "LZ005") << "256 MiB at most";
  EXPECT_EQ(asked(ana, place("1", "a")), "open") << "all of them were rolled back";
  EXPECT_EQ(asked(a, "SELECT luzia.offer_orders('a', '{dispatch}', ARRAY[repeat('x', 20000)])"), "LZ005");
  EXPECT_EQ(asked(a, claim("a")), "1 1") << "no other order has taken a number";
  EXPECT_EQ(asked(a, accept("a", "1", 1, "$(id)")), "23514");
}

TEST_F(OrdersSchemaTest, OpenWithdrawalStopsNoMachine) {
  Postgres ana = connected_as(ana_), a = connected_as("luzia-a");
  ASSERT_EQ(asked(ana, place("1", "a")), "open");
  EXPECT_EQ(asked(a, claim("a")), "1 1");
  ASSERT_TRUE(ana.script("BEGIN; SELECT luzia.withdraw_order('1')"));
  ASSERT_TRUE(a.script("SET lock_timeout = '100ms'"));
  EXPECT_EQ(asked(a, accept("a", "1", 1, "j")), "55P03");
  EXPECT_TRUE(a.run("SELECT luzia.release_claims('a')")) << "it passes over what others hold";
  ASSERT_TRUE(ana.script("ROLLBACK"));
  EXPECT_EQ(asked(a, accept("a", "1", 1, "j")), "t");
}

TEST_F(OrdersSchemaTest, PassedOrdersGoToOthersUntilNoneIsLeft) {
  Postgres ana = connected_as(ana_), a = connected_as("luzia-a"), b = connected_as("luzia-b");
  ASSERT_EQ(asked(ana, place("1", "any")), "open");
  EXPECT_EQ(asked(a, claim("a")), "1 1");
  ASSERT_TRUE(a.run("SELECT luzia.pass_order('a', '1', 1, 'r', 'no project')"));
  EXPECT_EQ(asked(a, claim("a")), "(null)");
  EXPECT_EQ(asked(b, claim("b")), "1 2");
  ASSERT_TRUE(b.run("SELECT luzia.pass_order('b', '1', 2, 'r', 'no agent')"));
  EXPECT_EQ(asked(ana, "SELECT state || ' ' || error FROM luzia.look_order('1')"), "refused no agent");
}

TEST_F(OrdersSchemaTest, AcceptedReplacementFencesTheOldJob) {
  Postgres ana = connected_as(ana_), a = connected_as("luzia-a"), b = connected_as("luzia-b");
  EXPECT_EQ(asked(ana, place("1", "a", "'mine'")), "LZ005") << "a has it";
  ASSERT_EQ(asked(ana, place("1", "any", "'mine'")), "open");
  EXPECT_EQ(asked(a, claim("a")), "(null)") << "it has the old job";
  EXPECT_EQ(asked(b, claim("b")), "1 1");
  EXPECT_EQ(asked(a, "SELECT count(*) FROM luzia.fences_of('a')"), "0") << "not before it is accepted";
  EXPECT_EQ(asked(b, accept("b", "1", 1, "new")), "t");
  EXPECT_EQ(asked(a, "SELECT job || ' ' || to_site FROM luzia.fences_of('a')"), "mine b");
  ASSERT_TRUE(a.run("SELECT luzia.hear_fence('a', 'mine', '1', 'cancelled')"));
  EXPECT_EQ(asked(a, "SELECT count(*) FROM luzia.fences_of('a')"), "0");
  ASSERT_TRUE(a.run("SELECT luzia.offer_orders('a', '{dispatch}', '{}')"));
  EXPECT_EQ(asked(ana, place("2", "b", "'mine'")), "LZ005") << "a would not stop it";
}

TEST_F(OrdersSchemaTest, OperatorSeesOrdersOfItsProjects) {
  Postgres ana = connected_as(ana_);
  ASSERT_EQ(asked(ana, place("1", "any")), "open");
  const std::string bob = "bob-" + name_;
  init({{.role = bob, .projects = {"secret"}, .orders = true}});
  Postgres other = connected_as(bob);
  EXPECT_EQ(asked(other, "SELECT count(*) FROM luzia.orders"), "0");
  EXPECT_EQ(asked(other, "SELECT id FROM luzia.look_order('1')"), "(null)");
  EXPECT_EQ(asked(other, "SELECT id FROM luzia.withdraw_order('1')"), "(null)");
  EXPECT_EQ(asked(ana, "SELECT count(*) FROM luzia.orders"), "1");
  init({{.role = ana_, .projects = {"web"}, .orders = true}});
  EXPECT_EQ(asked(ana, "SELECT count(*) FROM luzia.orders"), "0") << "at once, on an open connection";
}

}  // namespace
}  // namespace luzia::test
