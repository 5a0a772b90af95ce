// A machine writes its own site, a reader reads its own projects, and neither anything else.
#include "tests/e2e/fleet/fleet_fixture.h"

namespace luzia {
namespace {

class FleetRightsTest : public FleetTest {
 protected:
  FleetRightsTest() : machine_("a", url_of("luzia-a")) {
    machine_.start_daemon();
    machine_.begin_jobs(2);
    const Finished other = machine_.luzia({"dispatch", "other", "true", "--wait"});
    EXPECT_EQ(other.code, 0) << other.err;
    expect_mirrored(machine_);
  }

  FleetMachine machine_;
};

TEST_F(FleetRightsTest, MachineWritesItsOwnSiteOnly) {
  const std::string sites =
      "SELECT string_agg(concat_ws(' ', site, position, rows_position, fault), ';' ORDER BY site) FROM "
      "luzia.sites";
  Postgres other = connected_as("luzia-b");
  ASSERT_EQ(value(other, "SELECT (luzia.enter_site('b', 'h', '1')).site"), "b");
  const std::string before = value(sites);
  for (const char* sql :
       {"SELECT luzia.enter_site('a', 'h', '1')", "SELECT luzia.note_fault('a', 'x')",
        "SELECT luzia.set_rows_position('a', 1)", "SELECT luzia.forget_site('a')",
        "INSERT INTO luzia.site_groups SELECT 'a', 1000, 1000, chain, chain, 'x', now() FROM luzia.sites "
        "WHERE site = 'a'",
        "INSERT INTO luzia.jobs (site, id, position) VALUES ('a', 'forged', 1)",
        "SELECT count(*) FROM luzia.site_groups", "DELETE FROM luzia.site_groups", "DELETE FROM luzia.sites",
        "UPDATE luzia.sites SET fault = 'x'", "INSERT INTO luzia.machine_roles VALUES ('luzia-b', 'a')",
        "UPDATE luzia.machine_roles SET site = 'a'", "SELECT count(*) FROM luzia.reader_projects",
        "DELETE FROM luzia.jobs", "SELECT luzia.delete_rows('jobs', 'a', '{\"(0,1)\"}')"}) {
    EXPECT_THAT(value(other, sql), StartsWith("database_refused: ")) << sql;
  }
  EXPECT_EQ(value(other, "SELECT count(*) FROM luzia.jobs"), "0") << "it sees no row of another site";
  EXPECT_EQ(value(sites), before);
  expect_mirrored(machine_);
}

TEST_F(FleetRightsTest, ReaderSeesItsProjectsOnly) {
  init({"--reader", "ana-" + name_, "--projects", "demo"});
  init({"--reader", "eve-" + name_, "--projects", "*"});
  const std::string seen = "SELECT string_agg(DISTINCT project, ',') FROM luzia.";
  Postgres ana = connected_as("ana-" + name_), eve = connected_as("eve-" + name_);
  for (const char* table : {"jobs", "outcomes"}) {
    EXPECT_EQ(value(ana, seen + table), "demo");
    EXPECT_EQ(value(eve, seen + table), "demo,other");
  }
  EXPECT_EQ(value(ana, "SELECT count(*) FROM luzia.jobs"), "2");
  EXPECT_EQ(value(ana, "SELECT count(*) FROM luzia.sites WHERE site = 'a'"), "1");
  for (const char* sql : {"SELECT count(*) FROM luzia.site_groups", "DELETE FROM luzia.jobs",
                          "INSERT INTO luzia.reader_projects VALUES (session_user, '*')",
                          "SELECT luzia.enter_site('a', 'h', '1')"}) {
    EXPECT_THAT(value(ana, sql), StartsWith("database_refused: ")) << sql;
    EXPECT_THAT(value(eve, sql), StartsWith("database_refused: ")) << sql;
  }
  init({"--reader", "ana-" + name_, "--projects", "other"});
  EXPECT_EQ(value(ana, seen + "jobs"), "other") << "at once, on an open connection";
}

}  // namespace
}  // namespace luzia
