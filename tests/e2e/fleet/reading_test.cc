// The rows of all machines of a fleet, by the usual commands: luzia-query asks luzia-fleet, which asks the
// database.

#include "tests/e2e/fleet/fleet_fixture.h"

namespace luzia {
namespace {

class FleetReadingTest : public FleetTest {
 protected:
  FleetReadingTest() : first_("a", url_of("luzia-a")), second_("b", url_of("luzia-b")) {
    init({"--reader", "luzia-a", "--projects", "*"});
    first_.start_daemon();
    second_.start_daemon();
  }

  /// What the command prints with --fleet --json; null if it fails otherwise than by `code`.
  Json read(Words words, int code = 0) const {
    words.insert(words.end(), {"--fleet", "--json"});
    const Finished done = first_.query(words);
    EXPECT_EQ(done.code, code) << done.err;
    return done.code == code ? Json::parse(done.out, nullptr, false) : Json();
  }
  static Json row_of(const Json& list, const std::string& id) {
    for (const Json& row : list) {
      if (row.value("id", "") == id) return row;
    }
    return Json::object();
  }
  void silence(const std::string& site) const {
    Postgres database = connected_as("postgres");
    ASSERT_TRUE(database.run("UPDATE luzia.sites SET last_seen = now() - interval '3 minutes' WHERE site = " +
                             pg_text(site)));
  }

  FleetMachine first_, second_;
};

TEST_F(FleetReadingTest, ListsHaveTheRowsOfAllSitesAsOf) {
  const std::string here = first_.dispatch("echo here"), there = second_.dispatch("echo there");
  second_.ended(there);
  first_.ended(here);
  expect_mirrored(first_);
  expect_mirrored(second_);
  const Json list = read({"jobs", "--all"});
  EXPECT_EQ(row_of(list["jobs"], here).value("machine", ""), "a");
  const Json row = row_of(list["jobs"], there);
  EXPECT_EQ(row.value("machine", ""), "b");
  EXPECT_EQ(row.value("state", ""), "completed");
  EXPECT_EQ(row.value("last_line", ""), "there");
  EXPECT_GT(row.value("as_of_us", std::int64_t{0}), 0);
  ASSERT_EQ(list["machines"].size(), 2U);
  EXPECT_TRUE(list["machines"][1].value("answered", false));
  EXPECT_EQ(read({"jobs", "--all", "--site", "b"})["jobs"].size(), 1U);
  EXPECT_EQ(read({"jobs", "--all", "--project", "other"})["jobs"].size(), 0U);

  const Json job = read({"job", there});
  EXPECT_EQ(job.value("task", ""), "echo there");
  EXPECT_EQ(job.value("machine", ""), "b");
  EXPECT_EQ(first_.query({"job", "zzzzzzzzzzzzz", "--fleet"}).code, 3);
  EXPECT_EQ(first_.query({"jobs", "--fleet", "--site", "c"}).code, 3);
  EXPECT_EQ(read({"stats", "--by", "project"})["outcomes"][0].value("completed", 0), 2) << "of both";
}

TEST_F(FleetReadingTest, QuestionsOfAllSites) {
  const std::string job = second_.dispatch(kLuzia + " ask 'Where to?' --options here,there > heard");
  Json asked;
  ASSERT_TRUE(wait_until([&] {
    asked = read({"questions"})["questions"];
    return asked.size() == 1;
  }));
  EXPECT_EQ(asked[0].value("question", ""), "Where to?");
  EXPECT_EQ(asked[0].value("machine", ""), "b");
  EXPECT_EQ(read({"issues"})["issues"].size(), 0U);
  EXPECT_EQ(read({"approvals"})["approvals"].size(), 0U);
  second_.luzia({"cancel", job});
}

TEST_F(FleetReadingTest, SilentSiteIsUnreachableAndItsRowsStay) {
  const std::string job = second_.dispatch("sleep 1000");
  ASSERT_TRUE(
      wait_until([&] { return row_of(read({"jobs"})["jobs"], job).value("state", "") == "running"; }));
  second_.stop_daemon();
  ASSERT_TRUE(wait_until([&] { return second_.fleet_pid() == 0; }));
  silence("b");
  const Json list = read({"jobs"}, 5);
  const Json row = row_of(list["jobs"], job);
  EXPECT_EQ(row.value("state", ""), "running") << "as it was";
  EXPECT_GT(row.value("as_of_us", std::int64_t{0}), 0);
  EXPECT_FALSE(list["machines"][1].value("answered", true));
  EXPECT_EQ(list["machines"][1]["error"].value("code", ""), "unreachable");
  const Finished people = first_.query({"jobs", "--fleet"});
  EXPECT_EQ(people.code, 5);
  EXPECT_THAT(people.err, HasSubstr("b (unreachable since "));
  EXPECT_THAT(people.out, HasSubstr("b, 3m"));
  EXPECT_EQ(read({"job", job}, 5).value("state", ""), "running");
  second_.start_daemon();
  second_.luzia({"cancel", job});
}

TEST_F(FleetReadingTest, OneLineSaysWhyNothingIsRead) {
  const auto first_line = [](const Finished& done) { return done.err.substr(0, done.err.find('\n')); };
  const Finished no_reader = second_.query({"jobs", "--fleet"});
  EXPECT_EQ(no_reader.code, 4);
  EXPECT_THAT(first_line(no_reader), HasSubstr("luzia-b may not read the rows of other machines"));
  const Finished past = first_.query({"jobs", "--fleet", "--at", "1h ago"});
  EXPECT_EQ(past.code, 2);
  EXPECT_THAT(first_line(past), HasSubstr("does not have earlier rows"));
  EXPECT_EQ(first_.query({"stats", "--fleet"}).code, 2) << "totals of all time are in no table";
  EXPECT_EQ(first_.query({"jobs", "--fleet", "--machines"}).code, 2);
  EXPECT_EQ(first_.query({"jobs", "--site", "a"}).code, 2);

  FleetMachine away("c", url_of("luzia-a"), "people_url = \"host=/nonexistent dbname=x\"\n");
  const Finished unreachable = away.query({"jobs", "--fleet", "--patience", "10s"});
  EXPECT_EQ(unreachable.code, 5);
  EXPECT_THAT(first_line(unreachable), HasSubstr("no database answers"));
}

}  // namespace
}  // namespace luzia
