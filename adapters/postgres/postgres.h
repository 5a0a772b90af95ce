// A connection to PostgreSQL (libpq). Blocking, with a deadline for each call: a server that is stopped, cut
// off or half open costs at most that long. One thread at a time.
//
// Rejected: libpq on libuv. Its callers have nothing else to do while the database works, and a thread that
// blocks has fewer states.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace luzia {

struct PostgresOptions {
  /// postgresql://..., or NAME=VALUE words (service=...). Several hosts are tried in turn. Other machines
  /// must speak TLS, unless sslmode says otherwise.
  std::string url;
  /// Its first line is the password; empty: as libpq finds one (~/.pgpass, PGPASSFILE).
  std::string password_file = {};
  std::string application_name = "luzia";
  std::chrono::milliseconds connect_patience{5'000};     // for each host
  std::chrono::milliseconds statement_patience{60'000};  // for each call below
  /// Readable: whoever waits for the database is to hurry. Calls then end within kHurry. Negative: none.
  int hurry_fd = -1;
};
inline constexpr std::chrono::milliseconds kHurry{2'000};

/// A value of a parameter; nullopt is NULL. Bytes in PostgreSQL's binary or text form as `binary` says.
struct PostgresValue {
  std::optional<std::string> bytes;
  bool binary = false;
};
using PostgresRow = std::vector<std::optional<std::string>>;  // in text form
struct PostgresRows {
  std::vector<std::string> columns;
  std::vector<PostgresRow> rows;
};

class Postgres {
 public:
  /// Only servers that accept writes are used, unless the URL says otherwise (target_session_attrs). Errors:
  /// - `database_unreachable` (trouble): none answers, or none is ready; trying again may help.
  /// - `database_refused` (refused): login or rights.
  /// - `bad_database_url` (usage): the URL cannot be read, or has a password in it.
  /// - `password_file` (refused): it cannot be read, is empty, or others may read it.
  static Result<Postgres> connect(const PostgresOptions& options);
  Postgres(Postgres&&) noexcept;
  Postgres& operator=(Postgres&&) noexcept;
  ~Postgres();

  /// Runs one statement with its values $1, $2, ... Errors of this and the calls below:
  /// - `database_unreachable`: the connection is lost or the deadline is over; every later call fails, too.
  /// - `database_refused`: the role has no right to do this.
  /// - `database_error` (trouble): what PostgreSQL says; last_sqlstate() has its code.
  Result<PostgresRows> run(const std::string& sql, std::span<const PostgresValue> values = {});
  /// Runs several statements, without values.
  Status script(const std::string& sql);
  /// COPY ... FROM STDIN in text or binary form: begin, write any bytes, finish. After an error the
  /// transaction must be rolled back.
  Status copy_begin(const std::string& sql);
  Status copy_write(std::string_view bytes);
  Status copy_finish();
  /// Runs `body` between BEGIN and COMMIT; ROLLBACK after an error. Within another transaction, `body` is a
  /// part of that. `commit_unknown` (trouble): the connection was lost during the commit.
  Status transaction(const std::function<Status()>& body);
  /// Waits for notifications of channels that this connection listens to (LISTEN), or until `beside` is
  /// readable (negative: nothing). False: there was none within that time.
  Result<bool> wait_notified(std::chrono::milliseconds most, int beside = -1);
  /// Of the last call that failed; empty: it was no error of a statement.
  std::string last_sqlstate() const;
  /// Whether the connection can still be used.
  bool is_usable() const;
  /// The password as the server stores it, so that no statement holds the password itself.
  Result<std::string> encrypted_password(const std::string& role, const std::string& password);

 private:
  struct State;
  explicit Postgres(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// One line of COPY's text form, with its end of line. Characters that PostgreSQL cannot store (NUL) are
/// left out.
std::string copy_text(const std::vector<std::optional<std::string>>& row);
/// The name, quoted.
std::string pg_name(std::string_view name);
/// The text as a literal, quoted.
std::string pg_text(std::string_view text);
/// The URL of the database for people: without password and settings. `role`: instead of the URL's. Empty:
/// the URL cannot be read.
std::string shown_database(const std::string& url, const std::string& role = {});
/// The first line of a file that only its owner may read: `password_file` (refused).
Result<std::string> read_password_file(const std::string& path);

}  // namespace luzia
