#include "adapters/sqlite/sql_database.h"

#include <sqlite3.h>

#include <algorithm>
#include <cctype>

#include "engine/base/characters.h"

namespace luzia {
namespace {

tl::unexpected<Error> sql_failed(sqlite3* database) {
  const int code = sqlite3_errcode(database);
  if (code == SQLITE_INTERRUPT) {
    return fail(ErrorKind::trouble, "sql_timeout", "the query took too long and was ended",
                "ask for less, or give it more time: --timeout 5m");
  }
  const bool full = code == SQLITE_FULL || code == SQLITE_IOERR || code == SQLITE_CANTOPEN;
  return fail(ErrorKind::trouble, "sql_failed",
              without_control_characters(std::string("SQLite: ") + sqlite3_errmsg(database)),
              full ? "check the disk and the permissions of the folder" : "");
}

/// Whether a query's action is allowed: reading tables, and calling functions that affect nothing outside.
bool only_reads(int action, const char* second) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return true;
    case SQLITE_FUNCTION:
      return second == nullptr || sqlite3_stricmp(second, "load_extension") != 0;
    default:
      return false;
  }
}

int note_table(void* tables, int action, const char* first, const char* second, const char*, const char*) {
  if (!only_reads(action, second)) return SQLITE_DENY;
  if (action == SQLITE_READ && first != nullptr) {
    std::string name(first);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    static_cast<std::set<std::string>*>(tables)->insert(std::move(name));
  }
  return SQLITE_OK;
}

int allow_reading(void*, int action, const char*, const char* second, const char*, const char*) {
  return only_reads(action, second) ? SQLITE_OK : SQLITE_DENY;
}

int deadline_passed(void* deadline) {
  using Clock = std::chrono::steady_clock;
  return Clock::now() >= *static_cast<const Clock::time_point*>(deadline) ? 1 : 0;
}

void bind_value(sqlite3_stmt* statement, int place, const SqlValue& value) {
  struct Bound {
    sqlite3_stmt* statement;
    int place;
    void operator()(std::monostate) const { sqlite3_bind_null(statement, place); }
    void operator()(std::int64_t number) const { sqlite3_bind_int64(statement, place, number); }
    void operator()(double number) const { sqlite3_bind_double(statement, place, number); }
    void operator()(const std::string& text) const {
      sqlite3_bind_text64(statement, place, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
    }
  };
  std::visit(Bound{statement, place}, value);
}

SqlValue column_value(sqlite3_stmt* statement, int place) {
  switch (sqlite3_column_type(statement, place)) {
    case SQLITE_INTEGER:
      return static_cast<std::int64_t>(sqlite3_column_int64(statement, place));
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, place);
    case SQLITE_TEXT: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, place));
      return std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement, place)));
    }
    case SQLITE_BLOB: {
      const auto* bytes = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement, place));
      const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, place));
      constexpr char kDigits[] = "0123456789abcdef";
      std::string digits;
      for (std::size_t i = 0; i < size; ++i) {
        digits += kDigits[bytes[i] >> 4];
        digits += kDigits[bytes[i] & 15];
      }
      return digits;
    }
    default:
      return std::monostate();
  }
}

tl::unexpected<Error> bad_sql(const std::string& why) {
  return fail(ErrorKind::usage, "bad_sql", without_control_characters(why),
              "one SELECT (or WITH ... SELECT); SELECT * FROM columns lists them");
}

}  // namespace

std::string sql_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

SqlStatement::SqlStatement(SqlStatement&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)) {}

SqlStatement& SqlStatement::operator=(SqlStatement&& other) noexcept {
  std::swap(statement_, other.statement_);
  return *this;
}

SqlStatement::~SqlStatement() {
  sqlite3_finalize(statement_);
}

Status SqlStatement::run(const std::vector<SqlValue>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) bind_value(statement_, static_cast<int>(i + 1), values[i]);
  const int code = sqlite3_step(statement_);
  const bool done = code == SQLITE_DONE || code == SQLITE_ROW;
  Status status;
  if (!done) status = sql_failed(sqlite3_db_handle(statement_));
  sqlite3_reset(statement_);
  return status;
}

Result<bool> SqlStatement::next() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return sql_failed(sqlite3_db_handle(statement_));
}

std::vector<std::string> SqlStatement::columns() const {
  std::vector<std::string> names;
  for (int i = 0; i < sqlite3_column_count(statement_); ++i) {
    const char* name = sqlite3_column_name(statement_, i);
    names.emplace_back(name != nullptr ? name : "");
  }
  return names;
}

std::vector<SqlValue> SqlStatement::row() const {
  std::vector<SqlValue> values;
  for (int i = 0; i < sqlite3_column_count(statement_); ++i) values.push_back(column_value(statement_, i));
  return values;
}

void SqlDatabase::Close::operator()(sqlite3* database) const {
  sqlite3_close_v2(database);
}

Result<SqlDatabase> SqlDatabase::open(const std::string& path) {
  SqlDatabase opened;
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(
      path.c_str(), &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW, nullptr);
  opened.database_.reset(database);
  if (code != SQLITE_OK) {
    return fail(ErrorKind::trouble, "sql_failed",
                "cannot open " + (path.empty() ? "a temporary database" : path) + ": " +
                    (database != nullptr ? sqlite3_errmsg(database) : "out of memory"),
                "check the disk and the permissions of the folder");
  }
  return opened;
}

Status SqlDatabase::execute(const std::string& commands) {
  if (sqlite3_exec(database_.get(), commands.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return sql_failed(database_.get());
}

Result<SqlStatement> SqlDatabase::prepare(std::string_view command) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database_.get(), command.data(), static_cast<int>(command.size()),
                                      &statement, nullptr);
  if (code != SQLITE_OK) return sql_failed(database_.get());
  return SqlStatement(statement);
}

Result<std::set<std::string>> SqlDatabase::tables_of(std::string_view query) {
  std::set<std::string> tables;
  sqlite3_stmt* statement = nullptr;
  const char* rest = nullptr;
  sqlite3_set_authorizer(database_.get(), note_table, &tables);
  const int code =
      sqlite3_prepare_v2(database_.get(), query.data(), static_cast<int>(query.size()), &statement, &rest);
  sqlite3_set_authorizer(database_.get(), nullptr, nullptr);
  const SqlStatement prepared(statement);
  if (code == SQLITE_AUTH) return bad_sql("only queries that read are answered");
  if (code != SQLITE_OK) return bad_sql(std::string("SQL: ") + sqlite3_errmsg(database_.get()));
  if (statement == nullptr) return bad_sql("there is no query in '" + std::string(query) + "'");
  if (sqlite3_column_count(statement) == 0) return bad_sql("only queries that read are answered");
  if (!trimmed(query.substr(static_cast<std::size_t>(rest - query.data())), " \t\r\n;").empty()) {
    return bad_sql("one query at a time is answered");
  }
  return tables;
}

void SqlDatabase::only_read_for(std::chrono::milliseconds limit) {
  constexpr int kStepsBetweenLooks = 20'000;
  constexpr int kLongestValue = 64 << 20;
  deadline_ = std::make_unique<Deadline>(std::chrono::steady_clock::now() + limit);
  sqlite3_limit(database_.get(), SQLITE_LIMIT_LENGTH, kLongestValue);
  sqlite3_set_authorizer(database_.get(), allow_reading, nullptr);
  sqlite3_progress_handler(database_.get(), kStepsBetweenLooks, deadline_passed, deadline_.get());
}

}  // namespace luzia
