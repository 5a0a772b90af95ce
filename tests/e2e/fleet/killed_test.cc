// Whatever is killed, at any moment: the database gets each group of the log once, and no job notices.
#include "tests/e2e/fleet/fleet_fixture.h"

namespace luzia {
namespace {

class KilledFleetTest : public FleetTest {};

TEST_F(KilledFleetTest, KillsLoseAndRepeatNothing) {
  FleetMachine machine("a", url_of("luzia-a"));
  machine.start_daemon();
  machine.begin_jobs(3, "2");
  machine.begin_jobs(3);
  machine.kill_fleet();
  machine.begin_jobs(3);
  machine.kill_and_start_daemon();
  machine.begin_jobs(3);
  server_->kill();
  machine.begin_jobs(3);
  server_->restart();
  expect_mirrored(machine);
}

TEST_F(KilledFleetTest, SitesOfOneDatabaseStayApart) {
  FleetMachine first("a", url_of("luzia-a")), second("b", url_of("luzia-b"));
  first.start_daemon();
  second.start_daemon();
  for (int i = 0; i < 3; ++i) {
    first.begin_jobs(2);
    second.begin_jobs(3);
  }
  second.kill_fleet();
  expect_mirrored(first);
  expect_mirrored(second);
  EXPECT_EQ(value("SELECT string_agg(site || n, ' ' ORDER BY site) FROM "
                  "(SELECT site, count(*) AS n FROM luzia.jobs GROUP BY site) each"),
            "a6 b9");
  EXPECT_EQ(first.events().size(), first.position()) << "positions have no gap";
}

/// The agent's arguments are in the event, whose limit is 256 KiB; those of a program are at most 128 KiB
/// each.
TEST_F(KilledFleetTest, LargestEventIsMirrored) {
  const std::string words(130'000, 'a');
  FleetMachine machine(
      "a", url_of("luzia-a"),
      "[agents.large]\ncommand = [\"/bin/sh\", \"-c\", \"{task}\", \"" + words + "\", \"" + words + "\"]\n");
  machine.start_daemon();
  EXPECT_EQ(machine.ended(machine.dispatch("true", {"-a", "large"}))["state"], "completed");
  machine.begin_jobs(1);
  expect_mirrored(machine);
  EXPECT_EQ(value("SELECT max(octet_length(frames)) > 260000 FROM luzia.site_groups"), "t");
}

}  // namespace
}  // namespace luzia
