// The readable tables in a real PostgreSQL.
#include "tools/luzia-fleet/tables.h"

#include <limits>
#include <optional>
#include <sstream>

#include "tests/matchers.h"
#include "tests/paths.h"
#include "tests/postgres_server.h"
#include "tests/text_files.h"
#include "tests/tools/luzia_fleet/tables/growing_log.h"
#include "tools/luzia-fleet/schema_sql.h"
#include "tools/luzia-fleet/stored_values.h"

namespace luzia::test {
namespace {

class FleetTables : public testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = PostgresServer::start(); }
  static void TearDownTestSuite() { server_.reset(); }

  /// Each test has a database of its own. Roles are of the server.
  FleetTables() : name_(testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::ranges::transform(name_, name_.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
    database_.emplace(connected(server_->url(name_)));
    script(std::string(schema_sql()) + tables_sql());
  }
  static Postgres connected(const std::string& url) {
    auto database = Postgres::connect({.url = url});
    EXPECT_TRUE(database) << database.error().message;
    return std::move(*database);
  }
  void script(const std::string& sql) {
    const Status done = database_->script(sql);
    EXPECT_TRUE(done) << done.error().message << "\n" << sql.substr(0, 2'000);
  }
  /// The first value of the answer; "NULL".
  std::string answer(const std::string& sql) { return answer_to(*database_, sql); }
  static std::string answer_to(Postgres& database, const std::string& sql) {
    const auto rows = database.run(sql);
    EXPECT_TRUE(rows) << rows.error().message << "\n" << sql;
    if (!rows || rows->rows.empty()) return "no row";
    return rows->rows.front().front().value_or("NULL");
  }
  void write(const std::string& site, const ReadRows& rows) {
    const Status done = write_rows(*database_, site, rows);
    ASSERT_TRUE(done) << done.error().message;
  }
  void rebuild(const GrowingLog& log, const std::string& site, std::uint32_t most = kMaxLimit) {
    const Status done = rebuild_rows(log.ask(most), *database_, site, 0);
    ASSERT_TRUE(done) << done.error().message;
  }
  /// Tables in which two sites have other rows.
  std::vector<std::string> differing_tables(const std::string& left, const std::string& right) {
    std::vector<std::string> found;
    for (const ExportTable& table : export_tables()) {
      std::string columns;
      for (const ExportColumn& column : table.columns)
        columns.append(columns.empty() ? "" : ", ").append(pg_name(column.name));
      const auto rows_of = [&](const std::string& site) {
        return "SELECT " + columns + " FROM luzia." + std::string(table.name) + " WHERE site = '" + site +
               "'";
      };
      const std::string sql = "SELECT (SELECT count(*) FROM (" + rows_of(left) + " EXCEPT " + rows_of(right) +
                              ") a) + (SELECT count(*) FROM (" + rows_of(right) + " EXCEPT " + rows_of(left) +
                              ") b)";
      if (answer(sql) != "0") found.emplace_back(table.name);
    }
    return found;
  }

  static std::unique_ptr<PostgresServer> server_;
  std::string name_;
  std::optional<Postgres> database_;
};

std::unique_ptr<PostgresServer> FleetTables::server_;

/// One row of `table` with these values by column.
ReadRows one_row(std::string_view table, const std::map<std::string_view, ExportValue>& values,
                 Position position) {
  const ExportTable& of = *find_export_table(table);
  FleetRow row{ExportRow(of.columns.size()), position};
  for (std::size_t i = 0; i < of.columns.size(); ++i) {
    const auto found = values.find(of.columns[i].name);
    if (found != values.end()) row.values[i] = found->second;
  }
  make_storable(of, row.values);
  ReadRows rows;
  rows.position = position;
  TableRows& of_table = rows.tables[of.name];
  of_table.owners.insert(owner_of(of, row.values));
  of_table.rows[key_of(of, row.values)] = row;
  return rows;
}

TEST_F(FleetTables, ChangedRowsEqualARebuild) {
  GrowingLog log(3);
  rebuild(log, "other");
  for (Position after = 0; after < 1'500; after = log.tip()) {
    log.grow(100);
    const auto rows = changed_rows(log.ask(), log.touched(after, log.tip()), 0);
    ASSERT_TRUE(rows) << rows.error().message;
    write("changed", *rows);
  }
  rebuild(log, "rebuilt", 7);
  EXPECT_THAT(differing_tables("changed", "rebuilt"), IsEmpty());
  EXPECT_THAT(differing_tables("rebuilt", "other"), Not(IsEmpty()));
  EXPECT_EQ(answer("SELECT count(*) > 0 FROM luzia.jobs WHERE site = 'changed'"), "t");
  for (const std::string table : {"jobs", "questions"}) {
    EXPECT_EQ(
        answer(
            "SELECT count(*) FROM luzia." + table + " a JOIN luzia." + table +
            " b USING (id) WHERE a.site = 'changed' AND b.site = 'rebuilt' AND a.view_row IS DISTINCT FROM "
            "b.view_row"),
        "0")
        << table << ": the whole rows, too";
  }
}

TEST_F(FleetTables, ValuesHaveTheirTypes) {
  write("a", one_row("jobs",
                     {{"id", ExportValue("k000000000001")},
                      {"exit_code", ExportValue(std::int64_t{-3})},
                      {"cost_usd", ExportValue(0.25)},
                      {"queued_at", ExportValue("2026-01-01T10:00:00.000001Z")},
                      {"task", ExportValue("a\tb\\N\n\"c\" 'd'")}},
                     7));
  EXPECT_EQ(answer("SELECT exit_code + 1 FROM luzia.jobs"), "-2");
  EXPECT_EQ(answer("SELECT cost_usd * 2 FROM luzia.jobs"), "0.5");
  EXPECT_EQ(answer("SELECT task = E'a\\tb\\\\N\\n\"c\" ''d''' FROM luzia.jobs"), "t");
  EXPECT_EQ(answer("SELECT extract(epoch FROM queued_at - '2026-01-01 09:00+00') FROM luzia.jobs"),
            "3600.000001");
  EXPECT_EQ(answer("SELECT ended_at FROM luzia.jobs"), "NULL");
  EXPECT_EQ(answer("SELECT position FROM luzia.jobs"), "7");
  EXPECT_THAT(answer("SELECT col_description('luzia.jobs'::regclass, 2)"), HasSubstr("Id of the job"));
}

TEST_F(FleetTables, UnchangedRowsKeepTheirPosition) {
  const auto row = [](double cost, Position position) {
    return one_row("jobs", {{"id", ExportValue("k000000000001")}, {"cost_usd", ExportValue(cost)}}, position);
  };
  write("a", row(1, 5));
  write("a", row(1, 6));
  EXPECT_EQ(answer("SELECT position FROM luzia.jobs"), "5");
  write("a", row(2, 7));
  EXPECT_EQ(answer("SELECT position || ' ' || cost_usd FROM luzia.jobs"), "7 2");
}

TEST_F(FleetTables, RowsThatAreGoneAreDeleted) {
  ReadRows rows = one_row("jobs", {{"id", ExportValue("k000000000001")}}, 5);
  write("a", rows);
  write("b", rows);
  rows.tables["jobs"].rows.clear();
  write("a", rows);
  EXPECT_EQ(answer("SELECT string_agg(site, ' ') FROM luzia.jobs"), "b");
  // Gates of flows are approvals without a job.
  for (const char* id : {"f-one/step", "f-two/step@9"})
    write("a", one_row("approvals", {{"id", ExportValue(id)}}, 6));
  ReadRows gone;
  gone.tables["approvals"].owners = {"f-one", "k000000000001"};
  write("a", gone);
  EXPECT_EQ(answer("SELECT string_agg(id, ' ') FROM luzia.approvals"), "f-two/step@9");
  const Status deleted = delete_rows(*database_, "a");
  ASSERT_TRUE(deleted) << deleted.error().message;
  EXPECT_EQ(answer("SELECT count(*) FROM luzia.approvals"), "0");
  EXPECT_EQ(answer("SELECT count(*) FROM luzia.jobs"), "1");
}

TEST_F(FleetTables, HostileTextsAreStored) {
  std::string noise;  // that no compression shortens
  for (std::uint64_t i = 0; noise.size() < 5'000; ++i)
    noise += to_hex(blake2b({as_bytes(std::to_string(i))}));
  ReadRows both;  // of one day, which is written as a whole
  for (int i = 0; i < 2; ++i) {
    ReadRows one = one_row("tool_usage",
                           {{"day", ExportValue(noise)},
                            {"project", ExportValue(noise)},
                            {"agent", ExportValue(noise)},
                            {"model", ExportValue(noise)},
                            {"name", ExportValue(noise + std::to_string(i))}},
                           5);
    if (i == 0)
      both = std::move(one);
    else
      both.tables["tool_usage"].rows.merge(one.tables["tool_usage"].rows);
  }
  write("a", both);
  EXPECT_EQ(answer("SELECT count(*) FROM luzia.tool_usage"), "2");
  write("a", one_row("facts", {{"subject", ExportValue(std::string("{\"\\,}\0'\xFF", 8))}}, 5));
  EXPECT_EQ(answer("SELECT count(*) FROM luzia.facts WHERE subject = E'{\"\\\\,}''\\uFFFD'"), "1");
  ReadRows gone = one_row("facts", {{"subject", ExportValue(std::string("{\"\\,}\0'\xFF", 8))}}, 6);
  gone.tables["facts"].rows.clear();
  write("a", gone);
  EXPECT_EQ(answer("SELECT count(*) FROM luzia.facts"), "0");
  write("a", one_row("flows",
                     {{"id", ExportValue("f-1")},
                      {"created_at", ExportValue("0000-01-01T00:00:00.000000Z")},
                      {"ended_at", ExportValue("9999-12-31T23:59:59.999999Z")},
                      {"elapsed_seconds", ExportValue(std::numeric_limits<double>::infinity())}},
                     5));
  EXPECT_EQ(answer("SELECT created_at < ended_at FROM luzia.flows"), "t");
}

TEST_F(FleetTables, TheyAreMadeAgainAndGetNewColumns) {
  write("a", one_row("jobs", {{"id", ExportValue("k000000000001")}}, 5));
  script("ALTER TABLE luzia.jobs DROP COLUMN cost_usd");
  script(std::string(schema_sql()) + tables_sql());
  EXPECT_EQ(answer("SELECT id || ' ' || coalesce(cost_usd, -1) FROM luzia.jobs"), "k000000000001 -1");
  write("a", one_row("jobs", {{"id", ExportValue("k000000000001")}, {"cost_usd", ExportValue(0.5)}}, 6));
  EXPECT_EQ(answer("SELECT cost_usd FROM luzia.jobs"), "0.5");
}

TEST_F(FleetTables, MachinesWriteTheirOwnSiteOnly) {
  script(
      "CREATE ROLE writer LOGIN IN ROLE luzia_machine; INSERT INTO luzia.machine_roles VALUES ('writer', "
      "'a')");
  Postgres writer = connected(server_->url_of("writer", name_));
  const auto row = [](const char* id) { return one_row("jobs", {{"id", ExportValue(id)}}, 5); };
  const Status own = write_rows(writer, "a", row("k000000000001"));
  EXPECT_TRUE(own) << own.error().message;
  const Status foreign = write_rows(writer, "b", row("k000000000002"));
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().code, "database_refused");
  EXPECT_EQ(writer.last_sqlstate(), "42501");
  write("b", row("k000000000003"));
  EXPECT_EQ(answer_to(writer, "SELECT string_agg(site, ' ') FROM luzia.jobs"), "a");
  const Status deleted = delete_rows(writer, "b");
  ASSERT_FALSE(deleted);
  EXPECT_EQ(deleted.error().code, "database_refused");
  EXPECT_EQ(answer("SELECT string_agg(site, ' ' ORDER BY site) FROM luzia.jobs"), "a b");
}

TEST_F(FleetTables, ReadersSeeTheirProjects) {
  script(
      "CREATE ROLE reads_some LOGIN IN ROLE luzia_reader; CREATE ROLE reads_all LOGIN IN ROLE luzia_reader;"
      "CREATE ROLE reads_none LOGIN IN ROLE luzia_reader;"
      "INSERT INTO luzia.reader_projects VALUES ('reads_some', 'p'), ('reads_some', 'q'), ('reads_all', "
      "'*')");
  for (const char* project : {"p", "q", "r"}) {
    write("a", one_row("jobs",
                       {{"id", ExportValue(std::string("k00000000000") + project)},
                        {"project", ExportValue(project)}},
                       5));
    write("a",
          one_row("solutions",
                  {{"id", ExportValue(std::string("s-") + project)}, {"project", ExportValue(project)}}, 5));
  }
  write("a", one_row("solutions", {{"id", ExportValue("s-all")}}, 5));
  const std::string jobs = "SELECT string_agg(project, ' ' ORDER BY project) FROM luzia.jobs",
                    solutions = "SELECT string_agg(id, ' ' ORDER BY id) FROM luzia.solutions";
  const auto as = [&](const char* role, const std::string& sql) {
    Postgres reader = connected(server_->url_of(role, name_));
    return answer_to(reader, sql);
  };
  EXPECT_EQ(as("reads_some", jobs), "p q");
  EXPECT_EQ(as("reads_some", solutions), "s-all s-p s-q");
  EXPECT_EQ(as("reads_all", jobs), "p q r");
  EXPECT_EQ(as("reads_all", solutions), "s-all s-p s-q s-r");
  EXPECT_EQ(as("reads_none", jobs), "NULL");
  EXPECT_EQ(as("reads_none", solutions), "NULL");
  Postgres reader = connected(server_->url_of("reads_all", name_));
  EXPECT_FALSE(reader.script("DELETE FROM luzia.jobs"));
}

TEST_F(FleetTables, AFailedWriteChangesNothing) {
  write("a", one_row("jobs", {{"id", ExportValue("k000000000001")}}, 5));
  ReadRows rows = one_row("flows", {{"id", ExportValue("f-1")}}, 6);
  rows.tables["jobs"].owners = {"k000000000001"};
  rows.tables["jobs"].rows["bad"] = {ExportRow(find_export_table("jobs")->columns.size()), 6};  // has no id
  const Status refused = write_rows(*database_, "a", rows);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "database_error");
  EXPECT_EQ(answer("SELECT (SELECT count(*) FROM luzia.jobs) || ' ' || (SELECT count(*) FROM luzia.flows)"),
            "1 0");
  write("a", one_row("flows", {{"id", ExportValue("f-1")}}, 7));
  EXPECT_EQ(answer("SELECT count(*) FROM luzia.flows"), "1");
}

/// The queries in a document, each with the line on which it begins: indented, from SELECT to a semicolon.
std::vector<std::pair<int, std::string>> queries_in(const std::string& document) {
  constexpr std::string_view kIndented = "    ";
  std::vector<std::pair<int, std::string>> queries;
  std::istringstream lines(document);
  bool inside = false;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!inside && line.starts_with("    SELECT ")) {
      inside = true;
      queries.emplace_back(number, "");
    }
    if (!inside) continue;
    EXPECT_THAT(line, StartsWith(kIndented)) << "fleet.md:" << number;
    queries.back().second += line + "\n";
    inside = !line.ends_with(";");
  }
  return queries;
}

/// Grafana's macros and variables in the manual, and what it makes of them.
constexpr std::pair<std::string_view, std::string_view> kGrafana[] = {
    {"$__timeFilter(j.ended_at)", "j.ended_at BETWEEN now() - interval '1 day' AND now()"},
    {"$__timeGroupAlias(j.ended_at, $__interval)", "date_bin('5 minutes', j.ended_at, 'epoch') AS \"time\""},
    {"${site:sqlstring}", "'build-1'"}};

TEST_F(FleetTables, QuestionsOfTheManualHaveAnswers) {
  GrowingLog log(2);
  log.grow(1'500);
  rebuild(log, "build-1");
  script("INSERT INTO luzia.sites (site, last_seen) VALUES ('build-1', now() - interval '1 hour')");
  const auto queries = queries_in(whole_text(source_path("tools/docs/fleet.md")));
  EXPECT_GE(queries.size(), 10U);
  for (const auto& [line, sql] : queries) {
    // Grafana fills these in.
    std::string filled = sql;
    for (const auto& [macro, with] : kGrafana) {
      for (auto at = filled.find(macro); at != std::string::npos; at = filled.find(macro))
        filled.replace(at, macro.size(), with);
    }
    const auto rows = database_->run(filled);
    EXPECT_TRUE(rows) << "fleet.md:" << line << ": " << rows.error().message;
  }
}

}  // namespace
}  // namespace luzia::test
