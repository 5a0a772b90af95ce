// The network to the database is cut, stalls or breaks within a message. The log holds what is to be
// mirrored, jobs run on, and the mirror catches up.
#include "tests/e2e/fleet/database_relay.h"
#include "tests/e2e/fleet/fleet_fixture.h"

namespace luzia {
namespace {

class CutOffTest : public FleetTest {
 protected:
  /// Through the relay.
  std::string far_url() const { return "postgresql://luzia-a@" + relay_.address() + "/" + name_; }
  std::string mirrored_jobs() const { return value("SELECT count(*) FROM luzia.jobs"); }

  DatabaseRelay relay_{server_->folder()};
};

TEST_F(CutOffTest, DatabaseThatIsAwayIsCaughtUpWith) {
  FleetMachine machine("a", far_url());
  machine.start_daemon();
  machine.begin_jobs(3);
  expect_mirrored(machine);
  relay_.set(Network::cut);
  machine.begin_jobs(3);
  EXPECT_EQ(machine.broken_job(), "") << "jobs do not wait for the database";
  EXPECT_TRUE(wait_until([&] { return machine.reported_error() == "database_unreachable"; }))
      << machine.report();
  EXPECT_EQ(mirrored_jobs(), "3");
  relay_.set(Network::open);
  expect_mirrored(machine);
  EXPECT_EQ(mirrored_jobs(), "6");
  EXPECT_TRUE(wait_until([&] { return machine.report()["connected"] == true; })) << machine.report();
  EXPECT_EQ(machine.reported_error(), "");
}

TEST_F(CutOffTest, StalledConnectionGoesOn) {
  FleetMachine machine("a", far_url());
  machine.start_daemon();
  machine.begin_jobs(1);
  expect_mirrored(machine);
  relay_.set(Network::stalled);
  machine.begin_jobs(3);
  EXPECT_EQ(machine.broken_job(), "") << "jobs do not wait for the database";
  EXPECT_EQ(mirrored_jobs(), "1");
  relay_.set(Network::open);
  expect_mirrored(machine);
}

/// Within the login, a COPY, the rows, or just before or after COMMIT: wherever these bytes end.
TEST_F(CutOffTest, CutWithinAMessageLosesAndRepeatsNothing) {
  FleetMachine machine("a", far_url());
  machine.start_daemon();
  for (const std::uint64_t bytes : {1U, 150U, 1'000U, 2'500U, 5'000U}) {
    machine.begin_jobs(2);
    relay_.cut_after(bytes);
    EXPECT_TRUE(wait_until([&] {
      if (machine.broken_job().empty() && relay_.network() != Network::cut) machine.begin_jobs(1, "0");
      return relay_.network() == Network::cut;
    }));
    relay_.set(Network::open);
  }
  expect_mirrored(machine);
}

TEST_F(CutOffTest, DayOfASteppedClockIsMirrored) {
  constexpr std::int64_t kDay = 24 * 3600 * std::int64_t{1'000'000};
  FleetMachine machine("a", far_url());
  machine.shift_clock(0);
  machine.start_shifted_daemon();
  machine.begin_jobs(1);
  EXPECT_EQ(machine.broken_job(), "");
  relay_.set(Network::cut);
  machine.shift_clock(kDay);
  machine.begin_jobs(2);
  EXPECT_EQ(machine.broken_job(), "");
  relay_.set(Network::open);
  expect_mirrored(machine);
  EXPECT_EQ(value("SELECT max(queued_at) - min(queued_at) > interval '23 hours' FROM luzia.jobs"), "t");
  EXPECT_EQ(value("SELECT last_seen < now() + interval '1 hour' FROM luzia.sites"), "t")
      << "the database's own clock says when it saw a machine";
}

}  // namespace
}  // namespace luzia
