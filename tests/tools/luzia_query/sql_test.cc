// sql: a single read-only query on the tables that exports contain.
#include "tests/matchers.h"
#include "tests/tools/luzia_query/full_store.h"
#include "tests/tools/luzia_query/run_query.h"

namespace luzia::test {
namespace {

std::string error_code(const Ran& ran) {
  return Json::parse(ran.err).at("error").at("code");
}

TEST(Sql, AnswersInEveryFormat) {
  const FullStore full;
  const std::string query =
      "SELECT project, count(*) AS jobs, sum(cost_usd) AS usd FROM jobs GROUP BY project";
  EXPECT_EQ(ask(full.store(), {"sql", query, "--csv"}).out, "project,jobs,usd\r\napi,2,\r\nweb,3,0.25\r\n");
  const Json shown = ask(full.store(), {"sql", query, "--json"}).json();
  EXPECT_EQ(shown.at("position"), 35);
  ASSERT_EQ(shown.at("rows").size(), 2u);
  EXPECT_EQ(shown.at("rows")[1], (Json{{"project", "web"}, {"jobs", 3}, {"usd", 0.25}}));
  EXPECT_TRUE(shown.at("rows")[0].at("usd").is_null());
  EXPECT_THAT(ask(full.store(), {"sql", query}).out, StartsWith("project"));
}

TEST(Sql, JsonRefusesDuplicateColumns) {
  const FullStore full;
  const std::string query = "SELECT a.id, b.id FROM jobs a JOIN jobs b ON a.id = b.id";
  const Ran ran = ask(full.store(), {"sql", query, "--json"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(error_code(ran), "same_column");
  EXPECT_THAT(ran.err, HasSubstr("AS"));
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ask(full.store(), {"sql", query, "--csv"}).out, StartsWith("id,id\r\n"));
}

TEST(Sql, InfiniteNumbersAreNullInJson) {
  const FullStore full;
  const std::string query = "SELECT 9e999 AS a, -9e999 AS b, 9e999 - 9e999 AS c";
  const Json row = ask(full.store(), {"sql", query, "--json"}).json().at("rows").at(0);
  for (const char* name : {"a", "b", "c"}) EXPECT_TRUE(row.at(name).is_null()) << name;
  EXPECT_EQ(ask(full.store(), {"sql", query, "--csv"}).out, "a,b,c\r\ninf,-inf,\r\n");
}

TEST(Sql, PositionIsThatOfTheLog) {
  const FullStore full;
  EXPECT_EQ(ask(full.store(), {"sql", "SELECT 1 AS one", "--json"}).json().at("position"), 35);
  EXPECT_EQ(ask(full.store(), {"sql", "SELECT 1 AS one", "--at", "8", "--json"}).json().at("position"), 8);
}

TEST(Sql, CsvHasNoFormulas) {
  const FullStore full;
  EXPECT_EQ(ask(full.store(), {"sql", "SELECT '=1+1' AS a, -1.5 AS b, '@x' AS c", "--csv"}).out,
            "a,b,c\r\n'=1+1,-1.5,'@x\r\n");
  EXPECT_THAT(ask(full.store(), {"jobs", "--job", kTricky, "--csv"}).out, HasSubstr("\"'=cmd|"));
}

TEST(Sql, JoinsTablesAndPastStates) {
  const FullStore full;
  const std::string query =
      "SELECT j.project, i.pattern FROM jobs j JOIN issues i ON i.job = j.id WHERE j.state = 'failed'";
  EXPECT_EQ(ask(full.store(), {"sql", query, "--csv"}).out, "project,pattern\r\nweb,python_module\r\n");
  EXPECT_EQ(ask(full.store(), {"sql", "SELECT count(*) AS n FROM jobs", "--at", "8", "--csv"}).out,
            "n\r\n1\r\n");
  EXPECT_EQ(ask(full.store(), {"sql", "select COUNT(*) as n from JOBS", "--csv"}).out, "n\r\n5\r\n");
}

TEST(Sql, ListsTablesAndColumns) {
  const FullStore full;
  const Ran ran =
      ask(full.store(), {"sql", "SELECT about FROM columns WHERE column_name = 'cost_usd'", "--csv"});
  EXPECT_THAT(ran.out, HasSubstr("What the agents say that it cost."));
  EXPECT_EQ(ask(full.store(), {"sql", "SELECT 1 AS one", "--csv"}).out, "one\r\n1\r\n");
}

TEST(Sql, AcceptsOnlyOneReadingQuery) {
  const FullStore full;
  for (const char* query :
       {"DELETE FROM jobs", "ATTACH DATABASE '/tmp/luzia-attached.db' AS other", "PRAGMA journal_mode",
        "CREATE TABLE t (x)", "SELECT 1; SELECT 2", "", "SELECT nothing FROM nowhere", "SELEC 1",
        "SELECT load_extension('x')", "VACUUM INTO '/tmp/luzia-vacuumed.db'"}) {
    const Ran ran = ask(full.store(), {"sql", query, "--json"});
    EXPECT_EQ(ran.code, 2) << query;
    EXPECT_EQ(error_code(ran), "bad_sql") << query;
    EXPECT_EQ(ran.out, "") << query;
  }
  EXPECT_FALSE(std::filesystem::exists("/tmp/luzia-attached.db"));
  EXPECT_FALSE(std::filesystem::exists("/tmp/luzia-vacuumed.db"));
}

TEST(Sql, StopsASlowQuery) {
  const FullStore full;
  const std::string endless =
      "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n";
  const Ran ran = ask(full.store(), {"sql", endless, "--timeout", "50ms", "--json"});
  EXPECT_EQ(ran.code, 5);
  EXPECT_EQ(error_code(ran), "sql_timeout");
}

TEST(Sql, AgentTextIsSanitizedOnATerminal) {
  const FullStore full;
  Circumstances terminal;
  terminal.out_stream = {true, 200};
  const Ran ran = ask(full.store(), {"sql", "SELECT char(27) || '[2J' AS evil"}, terminal);
  EXPECT_THAT(ran.out, Not(HasSubstr("\x1b[2J")));
}

}  // namespace
}  // namespace luzia::test
