// SQLite databases: the file that an export leaves, and the private one that a query is asked of. No
// exceptions, no global state. One thread at a time; statements must not outlive their database.
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

/// "name", quoted so that any name is one.
std::string sql_name(std::string_view name);

class SqlStatement {
 public:
  SqlStatement(SqlStatement&& other) noexcept;
  SqlStatement& operator=(SqlStatement&& other) noexcept;
  ~SqlStatement();

  /// Runs it once with these values in the place of its question marks. `sql_failed` (trouble).
  Status run(const std::vector<SqlValue>& values);
  /// To the next row of the result; false at its end. Errors: `sql_failed`, `sql_timeout` (both trouble).
  Result<bool> next();

  std::vector<std::string> columns() const;
  /// Of the row that next() has gone to. Bytes that are no text come as hexadecimal digits.
  std::vector<SqlValue> row() const;

 private:
  friend class SqlDatabase;
  explicit SqlStatement(sqlite3_stmt* statement) : statement_(statement) {}
  sqlite3_stmt* statement_;
};

class SqlDatabase {
 public:
  /// Makes the file where there is none. Empty path: a private database that ends with this object, in memory
  /// until it grows, then in a temporary file. `sql_failed` (trouble).
  static Result<SqlDatabase> open(const std::string& path);

  /// One or several commands without results.
  Status execute(const std::string& commands);
  Result<SqlStatement> prepare(std::string_view command);

  /// The names of the tables that a query reads, lower case, views and table functions left out. Errors
  /// (usage): `bad_sql` with SQLite's words, also for what is no single query that only reads.
  Result<std::set<std::string>> tables_of(std::string_view query);
  /// From here on nothing but reading is possible, and statements end with `sql_timeout` after this long.
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
