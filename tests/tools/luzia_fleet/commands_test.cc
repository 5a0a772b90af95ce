// The command line of luzia-fleet, without a daemon.
#include "tools/luzia-fleet/commands.h"

#include <sys/stat.h>

#include "tests/scratch_folder.h"
#include "tests/tools/luzia_fleet/fleet_database.h"
#include "tools/cli/program.h"

namespace luzia::test {
namespace {

struct FleetRan {
  int code;
  std::string out, err;
};

class FleetCommandsTest : public FleetDatabaseTest {
 protected:
  /// Runs luzia-fleet with a store and configuration of its own.
  FleetRan run(std::vector<std::string> words) {
    words.insert(words.end(), {"--store", folder_.file("store"), "--config", config_});
    return run_bare(std::move(words));
  }
  static FleetRan run_bare(std::vector<std::string> words) {
    Surroundings surroundings = process_surroundings(std::move(words));
    surroundings.environment = [](const char*) -> const char* { return nullptr; };
    char* texts[2] = {};
    std::size_t sizes[2] = {};
    surroundings.out = open_memstream(&texts[0], &sizes[0]);
    surroundings.err = open_memstream(&texts[1], &sizes[1]);
    FleetRan ran{run_program(kLuziaFleet, surroundings), {}, {}};
    std::fclose(surroundings.out);
    std::fclose(surroundings.err);
    ran.out.assign(texts[0], sizes[0]);
    ran.err.assign(texts[1], sizes[1]);
    for (char* text : texts) std::free(text);
    return ran;
  }
  void belong(const std::string& site, const std::string& url) {
    folder_.write("luzia.toml", "[fleet]\nurl = \"" + url + "\"\nsite = \"" + site + "\"\n");
  }

  ScratchFolder folder_;
  std::string config_ = folder_.write("luzia.toml", "");
};

TEST_F(FleetCommandsTest, InitSaysEachNewPasswordOnce) {
  const std::string site = "m-" + name_;
  const std::vector<std::string> words = {"init", "--url", options_.url, "--machine", site};
  const FleetRan first = run(words);
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.out,
              AllOf(HasSubstr("role luzia-" + site + ", password "), HasSubstr("site = \"" + site + "\"")));
  const FleetRan second = run(words);
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_THAT(second.out, AllOf(HasSubstr("keeps its password"), Not(HasSubstr(", password "))));
}

TEST_F(FleetCommandsTest, PasswordOfAFileIsNotShown) {
  const std::string file = folder_.write("password", "secret1\n");
  ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
  const FleetRan ran = run({"init", "--url", options_.url, "--reader", "r-" + name_, "--projects", "web",
                            "--password-file", file});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("reader r-" + name_), Not(HasSubstr("secret1"))));
}

TEST_F(FleetCommandsTest, DryRunPrintsTheScriptAlone) {
  const FleetRan ran = run_bare({"init", "--machine", "a", "--dry-run"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(StartsWith("BEGIN;"), HasSubstr("\"luzia-a\""), EndsWith("COMMIT;\n")));
}

TEST_F(FleetCommandsTest, BadWordsChangeNothing) {
  for (const auto& [words, why] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"init"}, "--url"},
           {{"init", "--url", options_.url, "--machine", "a b"}, "cannot be the name of a site"},
           {{"init", "--url", options_.url, "--machine", std::string(58, 'a')}, "at most 57"},
           {{"init", "--url", options_.url, "--reader", "ana"}, "belong together"},
           {{"init", "--url", options_.url, "--projects", "web"}, "belong together"},
           {{"init", "--url", "postgresql://a:secret1@h/d"}, "password"},
           {{"init", "--url", options_.url, "--forget", "a", "--machine", "b"}, "--forget stands alone"},
           {{"init", "--url", options_.url, "--operator", "a", "--reader", "b", "--projects", "x"},
            "belong together"},
           {{"init", "--url", options_.url, "--operator", "a b", "--projects", "x"},
            "cannot be the name of a role"},
           {{"order"}, "--to"},
           {{"orders"}, "belongs to no fleet"},
           {{"withdraw", "x"}, "belongs to no fleet"},
           {{"rejoin"}, "--as NAME"},
           {{"status"}, "belongs to no fleet"},
           {{"rebuild"}, ""},
           {{"stauts"}, "status"}}) {
    const FleetRan ran = run(words);
    EXPECT_EQ(ran.code, words[0] == "rebuild" ? 2 : 2) << testing::PrintToString(words) << ran.err;
    EXPECT_THAT(ran.err, AllOf(HasSubstr(why), Not(HasSubstr("secret1"))));
    EXPECT_EQ(ran.out, "");
  }
}

TEST_F(FleetCommandsTest, OperatorListsAndWithdrawsOrders) {
  const std::string role = "o-" + name_;
  const FleetRan made = run({"init", "--url", options_.url, "--operator", role, "--projects", "web"});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.out, AllOf(HasSubstr("operator " + role), HasSubstr("people_url = ")));
  Postgres database = connected();
  ASSERT_TRUE(database.run("SELECT luzia.enter_site('a', 'h', '1')"));
  ASSERT_TRUE(database.run("SELECT luzia.offer_orders('a', '{dispatch}', '{}')"));
  folder_.write("luzia.toml", "[fleet]\npeople_url = \"" + server_->url_of(role, name_) + "\"\n");
  EXPECT_THAT(run({"orders"}).err, HasSubstr("no orders in your projects"));
  Postgres as = connected_as(role);
  ASSERT_TRUE(as.run("SELECT luzia.place_order('mine', 'a', 'dispatch', 'web', NULL, 'bytes', 60)"));
  const FleetRan listed = run({"orders"});
  EXPECT_EQ(listed.code, 0) << listed.err;
  EXPECT_THAT(listed.out, AllOf(HasSubstr("mine"), HasSubstr("open"), HasSubstr("web")));
  EXPECT_THAT(run({"orders", "--json"}).out,
              AllOf(HasSubstr("\"id\":\"mine\""), HasSubstr("\"error\":null")));
  EXPECT_EQ(run({"withdraw", "mine"}).code, 0);
  EXPECT_THAT(run({"orders"}).out, HasSubstr("withdrawn by " + role));
  const FleetRan none = run({"withdraw", "yours"});
  EXPECT_EQ(none.code, 3);
  EXPECT_THAT(none.err, HasSubstr("there is no such order"));
}

TEST_F(FleetCommandsTest, StatusListsAllSitesAndTheirFaults) {
  Postgres database = connected();
  ASSERT_TRUE(
      database.run("SELECT luzia.enter_site('a', 'host1', '1'), luzia.enter_site('b', 'host2', '1')"));
  ASSERT_TRUE(database.run("SELECT luzia.note_fault('b', 'LZ003: went back')"));
  belong("a", options_.url);
  const FleetRan ran = run({"status"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("this machine, a"), HasSubstr("host1"), HasSubstr("LZ003: went back")));
  const FleetRan json = run({"status", "--json"});
  EXPECT_THAT(json.out,
              AllOf(StartsWith("{\"site\":\"a\""), HasSubstr("\"local\":null"), HasSubstr("\"site\":\"b\""),
                    HasSubstr("\"position\":0"), HasSubstr("\"fault\":\"LZ003: went back\"")));
}

TEST_F(FleetCommandsTest, StatusSaysWhyNoDatabaseAnswers) {
  belong("a", "host=/no/such/folder dbname=x");
  const FleetRan ran = run({"status"});
  EXPECT_EQ(ran.code, 5);
  EXPECT_THAT(ran.out, HasSubstr("this machine, a"));
  EXPECT_THAT(ran.err, HasSubstr("no database answers"));
}

TEST_F(FleetCommandsTest, RejoinNeedsAFreeNameAndForgettingYes) {
  Postgres database = connected();
  ASSERT_TRUE(database.run("SELECT luzia.enter_site('a', 'h', '1'), luzia.enter_site('b', 'h', '1')"));
  for (const char* site : {"a", "b"}) {
    ASSERT_TRUE(database.run("INSERT INTO luzia.site_groups VALUES (" + pg_text(site) +
                             ", 1, 1, '\\x00', '\\x01', 'x', now())"));
  }
  ASSERT_TRUE(
      database.run("INSERT INTO luzia.jobs (site, id, position) VALUES ('a', 'j', 1), ('b', 'j', 1)"));
  belong("a", options_.url);
  EXPECT_EQ(run({"rejoin", "--as", "b"}).code, 4);
  EXPECT_EQ(run({"rejoin", "--as", "b c"}).code, 2);
  const FleetRan renamed = run({"rejoin", "--as", "c"});
  EXPECT_EQ(renamed.code, 0) << renamed.err;
  EXPECT_EQ(renamed.out, "[fleet]\nsite = \"c\"\n");
  EXPECT_EQ(run({"init", "--url", options_.url, "--forget", "a"}).code, 4);
  EXPECT_EQ(run({"init", "--url", options_.url, "--forget", "none", "--yes"}).code, 3);
  EXPECT_EQ(value("SELECT count(*) FROM luzia.site_groups"), "2");
  const FleetRan forgotten = run({"init", "--url", options_.url, "--forget", "a", "--yes"});
  EXPECT_EQ(forgotten.code, 0) << forgotten.err;
  EXPECT_EQ(value("SELECT string_agg(site, ',') FROM luzia.site_groups"), "b");
  EXPECT_EQ(value("SELECT string_agg(site, ',') FROM luzia.jobs"), "b");
}

}  // namespace
}  // namespace luzia::test
