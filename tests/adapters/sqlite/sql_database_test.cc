// The SQLite wrapper: what a query may do, and for how long.
#include "adapters/sqlite/sql_database.h"

#include "tests/matchers.h"

namespace luzia {
namespace {

class SqlDatabaseTest : public testing::Test {
 protected:
  SqlDatabaseTest() {
    EXPECT_TRUE(database_.execute("CREATE TABLE a (x INTEGER, t TEXT); CREATE TABLE b (y REAL)"));
  }
  std::string code_of(std::string_view query) {
    const auto tables = database_.tables_of(query);
    return tables ? "" : tables.error().code;
  }

  SqlDatabase database_ = std::move(*SqlDatabase::open({}));
};

TEST_F(SqlDatabaseTest, ListsTheTablesAQueryReads) {
  EXPECT_THAT(*database_.tables_of("SELECT count(*) FROM A"), ElementsAre("a"));
  EXPECT_THAT(*database_.tables_of("WITH c AS (SELECT x FROM a) SELECT * FROM c, b"),
              testing::IsSupersetOf({"a", "b"}));
  EXPECT_THAT(*database_.tables_of("SELECT 1 WHERE EXISTS (SELECT 1 FROM b);  "), ElementsAre("b"));
}

TEST_F(SqlDatabaseTest, RefusesQueriesThatWrite) {
  for (const char* query : {"INSERT INTO a VALUES (1, 'x')", "DROP TABLE a", "SELECT 1; DROP TABLE a",
                            "PRAGMA user_version", "ATTACH 'x' AS y", "BEGIN", " ; ", "no sql"}) {
    EXPECT_EQ(code_of(query), "bad_sql") << query;
  }
  database_.only_read_for(std::chrono::minutes(1));
  EXPECT_FALSE(database_.execute("DELETE FROM a"));
  EXPECT_TRUE(database_.prepare("SELECT * FROM a"));
}

TEST_F(SqlDatabaseTest, RefusalIsOneLine) {
  for (const char* query : {"SELECT 'a\nb", "\n;\n", "SELECT x FROM a WHERE \"\n\"\n1"}) {
    const auto tables = database_.tables_of(query);
    ASSERT_FALSE(tables) << query;
    EXPECT_EQ(tables.error().message.find('\n'), std::string::npos) << tables.error().message;
  }
}

TEST_F(SqlDatabaseTest, ValuesReadBack) {
  auto insert = database_.prepare("INSERT INTO a VALUES (?, ?)");
  ASSERT_TRUE(insert);
  const std::string text = "it's \"quoted\"\n\xC3\xA9";
  ASSERT_TRUE(insert->run({std::int64_t{-7}, text}));
  ASSERT_TRUE(insert->run({std::monostate(), std::string()}));
  auto query = database_.prepare("SELECT x, t, x'00ff' AS bytes, 0.5 FROM a ORDER BY x DESC");
  ASSERT_TRUE(query);
  EXPECT_THAT(query->columns(), ElementsAre("x", "t", "bytes", "0.5"));
  ASSERT_EQ(query->next(), true);
  EXPECT_THAT(query->row(),
              ElementsAre(SqlValue(std::int64_t{-7}), SqlValue(text), SqlValue("00ff"), SqlValue(0.5)));
  ASSERT_EQ(query->next(), true);
  EXPECT_EQ(query->row()[0], SqlValue());
  EXPECT_EQ(query->row()[1], SqlValue(std::string()));
  EXPECT_EQ(query->next(), false);
}

TEST_F(SqlDatabaseTest, EndlessQueryIsStopped) {
  database_.only_read_for(std::chrono::milliseconds(20));
  auto query = database_.prepare(
      "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n");
  ASSERT_TRUE(query);
  const auto next = query->next();
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().code, "sql_timeout");
}

TEST_F(SqlDatabaseTest, UnwritablePathIsAnError) {
  const auto opened = SqlDatabase::open("/no/such/folder/file.sqlite");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, "sql_failed");
  EXPECT_EQ(sql_name("a\"b"), "\"a\"\"b\"");
}

}  // namespace
}  // namespace luzia
