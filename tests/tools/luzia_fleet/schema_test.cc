// What the database itself enforces, and who may do what.
#include "tests/tools/luzia_fleet/fleet_database.h"
#include "tools/luzia-fleet/tables.h"

namespace luzia::test {
namespace {

class FleetSchemaTest : public FleetDatabaseTest {
 protected:
  static std::string insert(const std::string& site, int first, int last, const std::string& previous,
                            const std::string& chain) {
    return "INSERT INTO luzia.site_groups VALUES ('" + site + "', " + std::to_string(first) + ", " +
           std::to_string(last) + ", '\\x" + previous + "', '\\x" + chain + "', 'x', now())";
  }
  /// Empty: it succeeds.
  static std::string state_of(Postgres& database, const std::string& sql) {
    return database.run(sql) ? "" : database.last_sqlstate();
  }
};

TEST_F(FleetSchemaTest, OnlyTheNextGroupIsTaken) {
  Postgres database = connected();
  ASSERT_TRUE(database.run("SELECT luzia.enter_site('a', 'h', '1')"));
  EXPECT_EQ(state_of(database, insert("a", 1, 2, "00", "a1")), "");
  EXPECT_EQ(state_of(database, insert("a", 3, 4, "a1", "a2")), "");
  EXPECT_EQ(state_of(database, insert("a", 6, 7, "a2", "a3")), "LZ001") << "a gap";
  EXPECT_EQ(state_of(database, insert("a", 5, 6, "a1", "a3")), "LZ001") << "another chain";
  EXPECT_EQ(state_of(database, insert("a", 4, 5, "a2", "a3")), "LZ003");
  EXPECT_EQ(state_of(database, insert("a", 1, 2, "00", "a1")), "23505") << "it is there already";
  EXPECT_EQ(state_of(database,
                     "INSERT INTO luzia.site_groups VALUES ('a', 5, 5, '\\xa2', '\\xa3', 'x', now()), "
                     "('a', 7, 7, '\\xa3', '\\xa4', 'x', now())"),
            "LZ001")
      << "a gap within";
  EXPECT_EQ(value("SELECT position FROM luzia.sites"), "4");
  EXPECT_EQ(value("SELECT count(*) FROM luzia.site_groups"), "2");
}

TEST_F(FleetSchemaTest, AnotherFirstGroupIsAnotherLog) {
  Postgres database = connected();
  ASSERT_TRUE(database.run("SELECT luzia.enter_site('a', 'h', '1')"));
  ASSERT_EQ(state_of(database, insert("a", 1, 2, "00", "a1")), "");
  ASSERT_TRUE(database.script("ALTER TABLE luzia.groups_" + value("SELECT md5('a')") +
                              " DROP CONSTRAINT groups_" + value("SELECT md5('a')") + "_pkey") ||
              database.script("DELETE FROM luzia.site_groups"));
  const auto refused = database.run(insert("a", 1, 1, "00", "b1"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(database.last_sqlstate(), "LZ002");
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr("site a"), HasSubstr("b1"), HasSubstr("a1")));
}

TEST_F(FleetSchemaTest, MachineWritesItsOwnSiteOnly) {
  init({machine_role("a"), machine_role("b")});
  Postgres a = connected_as("luzia-a");
  ASSERT_TRUE(a.run("SELECT luzia.enter_site('a', 'h', '1')"));
  EXPECT_EQ(state_of(a, insert("a", 1, 2, "00", "a1")), "");
  Postgres b = connected_as("luzia-b");
  for (const std::string& sql :
       {insert("a", 3, 4, "a1", "a2"), std::string("SELECT luzia.enter_site('a', 'h', '1')"),
        std::string("SELECT luzia.note_fault('a', 'x')"), std::string("SELECT luzia.forget_site('a')"),
        std::string("SELECT luzia.set_rows_position('a', 1)"), std::string("DELETE FROM luzia.site_groups"),
        std::string("UPDATE luzia.sites SET position = 0"), std::string("SELECT * FROM luzia.site_groups"),
        std::string("INSERT INTO luzia.machine_roles VALUES ('luzia-b', 'a')"),
        std::string("UPDATE luzia.machine_roles SET site = 'a'"),
        "INSERT INTO luzia.groups_" + value("SELECT md5('a')") +
            " VALUES ('a', 3, 4, '\\x', '\\x', '\\x', now())"}) {
    EXPECT_EQ(state_of(b, sql), "42501") << sql;
  }
  EXPECT_EQ(value("SELECT position FROM luzia.sites"), "2");
  EXPECT_EQ(state_of(a, "SELECT luzia.forget_site('a')"), "42501") << "not even its own";
}

TEST_F(FleetSchemaTest, MachineLeavesConnectionsToOthers) {
  init({machine_role("a"), {.role = "ana", .projects = {"web"}}});
  EXPECT_EQ(value("SELECT rolconnlimit FROM pg_roles WHERE rolname = 'luzia-a'"), "16");
  EXPECT_EQ(value("SELECT rolconnlimit FROM pg_roles WHERE rolname = 'ana'"), "-1");
}

/// Whoever may lock a table, or hold what another site must write, stops the whole fleet.
TEST_F(FleetSchemaTest, MachineHoldsUpNobody) {
  init({machine_role("a"), machine_role("b")});
  Postgres b = connected_as("luzia-b");
  for (const char* sql :
       {"LOCK TABLE luzia.jobs IN ACCESS EXCLUSIVE MODE",
        "LOCK TABLE luzia.jobs IN SHARE UPDATE EXCLUSIVE MODE", "LOCK TABLE luzia.site_groups IN SHARE MODE",
        "LOCK TABLE luzia.sites IN ROW EXCLUSIVE MODE", "SELECT FROM luzia.sites FOR UPDATE",
        "DELETE FROM luzia.jobs"}) {
    ASSERT_TRUE(b.script("BEGIN"));
    EXPECT_EQ(state_of(b, sql), "42501") << sql;
    ASSERT_TRUE(b.script("ROLLBACK"));
  }
  // It holds all that it can hold, and does not end.
  ASSERT_TRUE(b.script("BEGIN"));
  ASSERT_TRUE(b.run("SELECT luzia.enter_site('b', 'h', '1')"));
  EXPECT_EQ(state_of(b, insert("b", 1, 2, "00", "b1")), "");
  ASSERT_TRUE(b.run("SELECT pg_advisory_lock(hashtextextended('luzia rows of a', 0))"));
  ASSERT_TRUE(b.copy_begin("COPY luzia.site_groups FROM STDIN"));
  ASSERT_TRUE(b.copy_write("a\t1\t2\t\\\\x00\t\\\\xb1\tx\tnow\n"));
  Postgres a = connected_as("luzia-a");
  ASSERT_TRUE(a.script("SET lock_timeout = '2s'"));
  ASSERT_TRUE(a.run("SELECT luzia.enter_site('a', 'h', '1')"));
  EXPECT_EQ(state_of(a, insert("a", 1, 2, "00", "a1")), "");
  ReadRows rows;
  rows.tables["jobs"].owners = {"k000000000001"};
  const Status written = write_rows(a, "a", rows);
  EXPECT_TRUE(written) << written.error().message;
  EXPECT_FALSE(b.copy_finish());
  EXPECT_EQ(b.last_sqlstate(), "42501");
}

TEST_F(FleetSchemaTest, MachineDeletesRowsOfItsOwnSiteOnly) {
  init({machine_role("a"), machine_role("b")});
  Postgres database = connected();
  ASSERT_TRUE(
      database.run("INSERT INTO luzia.jobs (site, id, position) VALUES ('a', 'j', 1), ('b', 'j', 1)"));
  const std::string places = "ARRAY(SELECT format('(0,%s)', n)::tid FROM generate_series(1, 9) n))";
  Postgres b = connected_as("luzia-b");
  EXPECT_EQ(state_of(b, "SELECT luzia.delete_rows('jobs', 'a', " + places), "42501");
  for (const char* table : {"sites", "site_groups", "machine_roles", "reader_projects", "none"})
    EXPECT_EQ(state_of(b, "SELECT luzia.delete_rows('" + std::string(table) + "', 'b', " + places), "42501");
  EXPECT_EQ(b.run("SELECT luzia.delete_rows('jobs', 'b', " + places)->rows[0][0], "1");
  EXPECT_EQ(value("SELECT string_agg(site, ' ') FROM luzia.jobs"), "a");
  EXPECT_EQ(b.run("SELECT string_agg(site, ' ') FROM luzia.machine_roles")->rows[0][0], "b");
}

/// As the public schema of a cluster older than PostgreSQL 15 allows.
TEST_F(FleetSchemaTest, InitCallsNoFunctionOfOthers) {
  Postgres database = connected();
  ASSERT_TRUE(
      database.script("CREATE TABLE public.called (what text); CREATE FUNCTION public.format(text, name) "
                      "RETURNS text LANGUAGE "
                      "sql AS $$ INSERT INTO public.called VALUES ('format'); SELECT 'SELECT 1' $$"));
  init({machine_role("a")});
  EXPECT_EQ(value("SELECT count(*) FROM public.called"), "0");
}

TEST_F(FleetSchemaTest, DatabaseMustHoldEveryText) {
  Postgres database = connected();
  ASSERT_TRUE(database.script("DROP DATABASE IF EXISTS fleet_latin") &&
              database.script("CREATE DATABASE fleet_latin ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'"));
  auto latin = Postgres::connect({.url = server_->url("fleet_latin")});
  ASSERT_TRUE(latin) << latin.error().message;
  const auto made = init_database(*latin, {}, "");
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, AllOf(HasSubstr("fleet_latin"), HasSubstr("LATIN1")));
}

TEST_F(FleetSchemaTest, ReaderSeesItsProjectsOnly) {
  init({machine_role("a"), {.role = "ana", .projects = {"web"}}, {.role = "boss", .projects = {"*"}}});
  Postgres database = connected();
  const auto columns = "(site, id, project, position) VALUES ('a', 'j1', 'web', 1), ('a', 'j2', 'shop', 1)";
  ASSERT_TRUE(database.run(std::string("INSERT INTO luzia.jobs ") + columns));
  const std::string count = "SELECT count(*) FROM luzia.jobs";
  EXPECT_EQ(connected_as("ana").run(count)->rows[0][0], "1");
  EXPECT_EQ(connected_as("boss").run(count)->rows[0][0], "2");
  Postgres ana = connected_as("ana");
  EXPECT_EQ(state_of(ana, "DELETE FROM luzia.jobs"), "42501");
  EXPECT_EQ(state_of(ana, "SELECT * FROM luzia.site_groups"), "42501");
  EXPECT_EQ(state_of(ana, "SELECT luzia.enter_site('a', 'h', '1')"), "42501");
  EXPECT_EQ(state_of(ana, "SELECT * FROM luzia.sites"), "");
  EXPECT_EQ(ana.run("SELECT string_agg(project, ' ') FROM luzia.reader_projects")->rows[0][0], "web");
  init({{.role = "ana", .projects = {"shop", "*"}}});
  EXPECT_EQ(ana.run(count)->rows[0][0], "2");
}

TEST_F(FleetSchemaTest, InitMayBeRepeated) {
  const auto first = init({machine_role("twice-" + name_)});
  ASSERT_THAT(first, SizeIs(1));
  EXPECT_GE(first[0].size(), 32u);
  EXPECT_THAT(init({machine_role("twice-" + name_)}), ElementsAre("")) << "it keeps its password";
  Postgres database = connected();
  ASSERT_TRUE(database.run("SELECT luzia.enter_site('a', 'h', '1')"));
  ASSERT_EQ(state_of(database, insert("a", 1, 2, "00", "a1")), "");
  init({});
  EXPECT_EQ(value("SELECT count(*) FROM luzia.site_groups"), "1");
  const auto made = init_database(database, {machine_role("twice-" + name_)}, "new password");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->front().password, "new password");
}

TEST_F(FleetSchemaTest, ScriptOfADryRunDoesTheSame) {
  Postgres database = connected();
  ASSERT_TRUE(database.script("DROP SCHEMA luzia CASCADE"));
  const std::string site = "script-" + name_;
  const Status done =
      database.script(init_script({machine_role(site), {.role = "reader-" + name_, .projects = {"*"}}}));
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_TRUE(connected_as("luzia-" + site).run("SELECT luzia.enter_site('" + site + "', 'h', '1')"));
  EXPECT_EQ(connected_as("reader-" + name_).run("SELECT count(*) FROM luzia.jobs")->rows[0][0], "0");
}

TEST_F(FleetSchemaTest, FaultEndsWhenNobodyRepeatsIt) {
  Postgres database = connected();
  ASSERT_TRUE(database.run("SELECT luzia.enter_site('a', 'h', '1')"));
  ASSERT_TRUE(database.run("SELECT luzia.note_fault('a', 'LZ002: x')"));
  ASSERT_TRUE(database.script("UPDATE luzia.sites SET last_seen = now() - interval '1 minute'"));
  ASSERT_TRUE(database.run("SELECT luzia.enter_site('a', 'h', '1')"));
  EXPECT_EQ(value("SELECT fault FROM luzia.sites"), "LZ002: x");
  ASSERT_TRUE(
      database.script("UPDATE luzia.sites SET last_seen = now() - interval '1 minute', fault_at = now() - "
                      "interval '11 minutes'"));
  ASSERT_TRUE(database.run("SELECT luzia.enter_site('a', 'h', '1')"));
  EXPECT_EQ(value("SELECT fault FROM luzia.sites"), "(null)");
}

}  // namespace
}  // namespace luzia::test
