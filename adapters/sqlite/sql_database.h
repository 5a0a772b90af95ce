// SQLite databases: the file that an export writes, and the private one that queries run on. No exceptions,
// no global state. One thread at a time; statements must not outlive their database.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace luzia {

using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string>;

/// The name in quotes, so that any text is a valid name.
std::string sql_name(std::string_view name);

class SqlStatement {
 public:
  SqlStatement(SqlStatement&& other) noexcept;
  SqlStatement& operator=(SqlStatement&& other) noexcept;
  ~SqlStatement();

  /// Runs the statement once with these values for its question marks. `sql_failed` (trouble).
  Status run(const std::vector<SqlValue>& values);
  /// Advances to the next row of the result; false at its end. Errors: `sql_failed`, `sql_timeout` (both
  /// trouble).
  Result<bool> next();

  std::vector<std::string> columns() const;
  /// The row that next() advanced to. Bytes that are not text are returned as hexadecimal digits.
  std::vector<SqlValue> row() const;

 private:
  friend class SqlDatabase;
  explicit SqlStatement(sqlite3_stmt* statement) : statement_(statement) {}
  sqlite3_stmt* statement_;
};

class SqlDatabase {
 public:
  /// Creates the file if it is missing. Empty path: a private database for this object's lifetime, in memory
  /// until it grows, then in a temporary file. `sql_failed` (trouble).
  static Result<SqlDatabase> open(const std::string& path);

  /// Runs one or several commands without results.
  Status execute(const std::string& commands);
  Result<SqlStatement> prepare(std::string_view command);

  /// The names of the tables that a query reads, in lower case, without views and table functions. `bad_sql`
  /// (usage), with SQLite's message: invalid SQL, or not a single read-only query.
  Result<std::set<std::string>> tables_of(std::string_view query);
  /// From now on only reading is possible, and statements fail with `sql_timeout` after this time.
  void only_read_for(std::chrono::milliseconds limit);

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  using Deadline = std::chrono::steady_clock::time_point;
  SqlDatabase() = default;

  std::unique_ptr<Deadline> deadline_;  // SQLite holds its address
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace luzia
