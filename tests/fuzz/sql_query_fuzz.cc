// A query of `luzia-query sql` is either refused in one line, or only reads and ends within its time limit.
#include <chrono>
#include <cstdint>
#include <string>

#include "adapters/sqlite/sql_database.h"
#include "tests/fuzz/fuzz_check.h"

namespace luzia {
namespace {

/// Two rows in each of two tables.
SqlDatabase make_database() {
  auto made = SqlDatabase::open({});
  require(made.has_value(), "a private database can be made");
  require(made->execute("CREATE TABLE jobs (id TEXT, project TEXT, cost_usd REAL);"
                        "CREATE TABLE issues (job TEXT, count INTEGER);"
                        "INSERT INTO jobs VALUES ('1qf', 'web', 0.5), ('1qg', 'api', NULL);"
                        "INSERT INTO issues VALUES ('1qf', 3), ('1qg', 1)")
              .has_value(),
          "and filled");
  return std::move(*made);
}

void check_failure(const Error& error) {
  require(error.code == "sql_failed" || error.code == "sql_timeout", "the code of a failed query");
  require(error.message.find('\n') == std::string::npos, "a failure is one line");
}

void ask(SqlDatabase& database, std::string_view query) {
  constexpr int kMostRows = 100;
  database.only_read_for(std::chrono::milliseconds(20));
  auto statement = database.prepare(query);
  if (!statement) return check_failure(statement.error());
  const std::size_t width = statement->columns().size();
  for (int row = 0; row < kMostRows; ++row) {
    const auto more = statement->next();
    if (!more) return check_failure(more.error());
    if (!*more) return;
    require(statement->row().size() == width, "each row has all columns");
  }
}

std::int64_t count_rows(SqlDatabase& database) {
  database.only_read_for(std::chrono::minutes(1));
  auto count = database.prepare("SELECT (SELECT count(*) FROM jobs) + (SELECT sum(count) FROM issues)");
  require(count && count->next() == true, "the tables are there");
  return std::get<std::int64_t>(count->row().at(0));
}

}  // namespace
}  // namespace luzia

void luzia::fuzz(std::string_view query) {
  static SqlDatabase asked = make_database(), read = make_database();
  const auto tables = asked.tables_of(query);
  if (!tables) {
    require(tables.error().code == "bad_sql", "the code of a bad query");
    require(tables.error().message.find('\n') == std::string::npos, "a refusal is one line");
    return;
  }
  ask(read, query);
  require(count_rows(read) == 6, "nothing was changed");
}
