// The primary dies and its synchronous standby takes over: what was acknowledged is there, and the mirror
// goes on from it by itself.
#include <algorithm>

#include "tests/e2e/fleet/fleet_fixture.h"

namespace luzia {
namespace {

TEST(PromotedStandbyTest, NothingAcknowledgedIsLost) {
  const auto primary = PostgresServer::start();
  const auto standby = PostgresServer::standby_of(*primary);
  const Finished made = init_fleet_database(primary->url("fleet"), {"--machine", "a"});
  ASSERT_EQ(made.code, 0) << made.err;
  FleetMachine machine("a",
                       "host=" + primary->folder() + "," + standby->folder() + " user=luzia-a dbname=fleet");
  machine.start_daemon();
  machine.begin_jobs(5, "1");
  std::uint64_t acknowledged = 0;
  const auto reported = [&] {
    const Json said = machine.report();
    return said.is_object() ? said.value("position", std::uint64_t{0}) : 0;
  };
  ASSERT_TRUE(wait_until([&] { return (acknowledged = reported()) > 10; })) << machine.report();
  machine.begin_jobs(5);
  acknowledged = std::max(acknowledged, reported());
  primary->kill();
  machine.begin_jobs(5);
  standby->promote();
  Postgres database = connected_database(standby->url_of("postgres", "fleet"));
  const auto held = database.run("SELECT position >= " + std::to_string(acknowledged) +
                                 " FROM luzia.sites WHERE site = 'a'");
  ASSERT_TRUE(held && held->rows.size() == 1);
  EXPECT_EQ(held->rows.front().front(), "t") << acknowledged;
  machine.begin_jobs(2);
  EXPECT_EQ(machine.broken_job(), "");
  EXPECT_EQ(mirror_difference(machine, database), "");
}

}  // namespace
}  // namespace luzia
