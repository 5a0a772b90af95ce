// A log that does not continue the one in the database is refused, shown, and mixed with nothing.
#include <filesystem>

#include "tests/e2e/fleet/fleet_fixture.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

class RefusedLogTest : public FleetTest {
 protected:
  std::string fault() const { return value("SELECT fault FROM luzia.sites WHERE site = 'a'"); }
  /// Waits until the machine says so, and the database, too.
  void expect_refused_as(const FleetMachine& machine, const std::string& code, const std::string& state) {
    EXPECT_TRUE(wait_until([&] { return machine.reported_error() == code; })) << machine.report();
    EXPECT_TRUE(wait_until([&] { return fault().starts_with(state); })) << fault();
    EXPECT_THAT(machine.fleet({"status"}).out, HasSubstr(state));
    EXPECT_THAT(machine.luzia({"status"}).err, HasSubstr("fleet: "));
  }
};

TEST_F(RefusedLogTest, SecondMachineOfANameChangesNothing) {
  FleetMachine first("a", url_of("luzia-a")), second("a", url_of("luzia-a"));
  first.start_daemon();
  first.begin_jobs(3);
  expect_mirrored(first);
  second.start_daemon();
  second.begin_jobs(2);
  expect_refused_as(second, "site_taken", "LZ002");
  EXPECT_EQ(second.broken_job(), "") << "its jobs run as ever";
  first.begin_jobs(2);
  expect_mirrored(first);
  EXPECT_EQ(value("SELECT count(*) FROM luzia.jobs"), "5");

  const Finished taken = second.fleet({"rejoin", "--as", "b"});
  EXPECT_EQ(taken.code, 4) << taken.out;
  EXPECT_THAT(taken.err, HasSubstr("may not write site b")) << "the role is that of a";
  second.belong("b", url_of("luzia-b"));
  second.restart_daemon();
  expect_mirrored(second);
  expect_mirrored(first);
}

TEST_F(RefusedLogTest, RestoredBackupWaitsForAPerson) {
  FleetMachine machine("a", url_of("luzia-a"));
  machine.start_daemon();
  machine.begin_jobs(2);
  expect_mirrored(machine);
  const Finished made = machine.query({"backup", machine.path("copy")});
  ASSERT_EQ(made.code, 0) << made.err;
  machine.begin_jobs(3);
  expect_mirrored(machine);
  const std::string all = "SELECT count(*) || ' ' || max(last_position) FROM luzia.site_groups";
  const std::string before = value(all);

  machine.stop_daemon();
  fs::remove_all(machine.store());
  fs::rename(machine.path("copy"), machine.store());
  machine.start_daemon();
  expect_refused_as(machine, "site_went_back", "LZ003");
  EXPECT_EQ(value(all), before);
  EXPECT_EQ(init_fleet_database(server_->url(name_), {"--forget", "a"}).code, 4) << "without --yes";
  EXPECT_EQ(init_fleet_database(url_of("luzia-a"), {"--forget", "a", "--yes"}).code, 4)
      << "not by the machine";
  EXPECT_EQ(value(all), before);
  init({"--forget", "a", "--yes"});
  machine.kill_fleet();  // it would look again within a minute
  machine.forget_jobs();
  machine.begin_jobs(1);
  expect_mirrored(machine);
  EXPECT_EQ(value("SELECT count(*) FROM luzia.jobs"), "3");
}

}  // namespace
}  // namespace luzia
