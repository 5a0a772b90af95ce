#include "adapters/postgres/postgres.h"

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "adapters/postgres/postgres_url.h"
#include "engine/base/short_line.h"
#include "engine/base/try.h"

namespace luzia {
namespace {

using Clock = std::chrono::steady_clock;
using Answer = std::unique_ptr<PGresult, void (*)(PGresult*)>;
constexpr std::size_t kLongestMessage = 400;

/// What the server says when another try cannot help. (libpq passes no code of a refused login.)
constexpr std::array<std::string_view, 9> kRefusals = {
    "authentication failed", "does not exist",       "no pg_hba.conf entry",
    "permission denied",     "no password supplied", "is not permitted",
    "certificate",           "pg_hba.conf rejects",  "does not support SSL"};

tl::unexpected<Error> not_connected(const PGconn* connection, const std::string& shown) {
  const std::string why = short_line(PQerrorMessage(connection), kLongestMessage);
  const bool refused = std::ranges::any_of(
      kRefusals, [&why](std::string_view words) { return why.find(words) != std::string::npos; });
  if (!refused || why.find("No such file") != std::string::npos) {
    return fail(ErrorKind::trouble, "database_unreachable", "no database answers at " + shown + ": " + why,
                "see that PostgreSQL runs there and accepts writes; psql with the same URL shows more");
  }
  return fail(ErrorKind::refused, "database_refused", "the database at " + shown + " refuses: " + why,
              "check role, password (~/.pgpass or password_file), pg_hba.conf, and TLS (sslmode in the URL)");
}

std::string field_of(const PGresult* result, int field) {
  const char* text = PQresultErrorField(result, field);
  return text == nullptr ? std::string() : text;
}

bool is_error(const PGresult* result) {
  const auto status = PQresultStatus(result);
  return status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE || status == PGRES_NONFATAL_ERROR;
}

}  // namespace

struct Postgres::State {
  std::unique_ptr<PGconn, void (*)(PGconn*)> connection{nullptr, PQfinish};
  std::string shown;
  std::chrono::milliseconds patience{};
  int hurry_fd = -1;
  std::string sqlstate;
  bool copying = false, in_transaction = false;

  tl::unexpected<Error> lost(const std::string& why) {
    connection.reset();
    copying = false;
    sqlstate.clear();
    return fail(ErrorKind::trouble, "database_unreachable", "lost the database at " + shown + ": " + why,
                "luzia-fleet tries again; see that PostgreSQL runs and can be reached");
  }
  tl::unexpected<Error> lost() {
    return lost(connection ? short_line(PQerrorMessage(connection.get()), kLongestMessage)
                           : "the connection was closed before");
  }
  tl::unexpected<Error> failed(const PGresult* result);
  Status wait(short events, Clock::time_point& deadline);
  Status flush(Clock::time_point& deadline);
  Result<Answer> next(Clock::time_point& deadline);
  Result<Answer> last(Clock::time_point deadline);
  Clock::time_point deadline() const { return Clock::now() + patience; }
  Status end_copy(const char* why);
  Status commit();
};

/// An error of a statement. `result` may be of a lost connection.
tl::unexpected<Error> Postgres::State::failed(const PGresult* result) {
  const std::string code = field_of(result, PG_DIAG_SQLSTATE);
  if (PQstatus(connection.get()) != CONNECTION_OK) return lost();
  sqlstate = code;
  std::string message = field_of(result, PG_DIAG_MESSAGE_PRIMARY);
  if (message.empty()) message = PQresultErrorMessage(result);
  if (const auto detail = field_of(result, PG_DIAG_MESSAGE_DETAIL); !detail.empty()) message += ": " + detail;
  message = "PostgreSQL: " + short_line(message, kLongestMessage) + (code.empty() ? "" : " (" + code + ")");
  std::string hint = short_line(field_of(result, PG_DIAG_MESSAGE_HINT), kLongestMessage);
  if (code == "42501")
    return fail(ErrorKind::refused, "database_refused", std::move(message), std::move(hint));
  return fail(ErrorKind::trouble, "database_error", std::move(message), std::move(hint));
}

/// Waits until the socket is ready, at most until the deadline, which moves closer when there is a hurry.
Status Postgres::State::wait(short events, Clock::time_point& deadline) {
  bool hurries = false;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return lost(hurries ? "stopped while it worked" : "it did not answer in time");
    std::array<pollfd, 2> waited = {pollfd{PQsocket(connection.get()), events, 0},
                                    pollfd{hurries ? -1 : hurry_fd, POLLIN, 0}};
    const int ready =
        ::poll(waited.data(), waited.size(), static_cast<int>(std::min<std::int64_t>(left, 60'000)));
    if (ready < 0 && errno != EINTR) return lost(std::strerror(errno));
    if (waited[0].revents != 0) return {};
    if (waited[1].revents == 0) continue;
    hurries = true;
    deadline = std::min(deadline, Clock::now() + kHurry);
  }
}

Status Postgres::State::flush(Clock::time_point& deadline) {
  while (true) {
    const int left = PQflush(connection.get());
    if (left < 0) return lost();
    if (left == 0) return {};
    LUZIA_TRY(wait(POLLIN | POLLOUT, deadline));
    // The server may have to say something before it reads on.
    if (PQconsumeInput(connection.get()) == 0) return lost();
  }
}

/// The next result; null: the statement is over.
Result<Answer> Postgres::State::next(Clock::time_point& deadline) {
  LUZIA_TRY(flush(deadline));
  while (PQisBusy(connection.get()) != 0) {
    LUZIA_TRY(wait(POLLIN, deadline));
    if (PQconsumeInput(connection.get()) == 0) return lost();
  }
  return Answer(PQgetResult(connection.get()), PQclear);
}

/// The last result, or the first error.
Result<Answer> Postgres::State::last(Clock::time_point deadline) {
  Answer found(nullptr, PQclear), wrong(nullptr, PQclear);
  while (true) {
    auto answer = LUZIA_TRY(next(deadline));
    if (!answer) break;
    const auto status = PQresultStatus(answer.get());
    if (is_error(answer.get()) && !wrong) {
      wrong = std::move(answer);
    } else {
      found = std::move(answer);
    }
    if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH) break;
  }
  if (wrong) return failed(wrong.get());
  if (!found) return lost();
  return found;
}

Status Postgres::State::end_copy(const char* why) {
  copying = false;
  auto until = deadline();
  while (true) {
    const int ended = PQputCopyEnd(connection.get(), why);
    if (ended < 0) return lost();
    if (ended > 0) break;
    LUZIA_TRY(wait(POLLIN | POLLOUT, until));
    if (PQconsumeInput(connection.get()) == 0) return lost();
    LUZIA_TRY(flush(until));
  }
  LUZIA_TRY(last(until));
  return {};
}

Status Postgres::State::commit() {
  constexpr const char* kHint = "luzia-fleet reads the position from the database, and goes on from there";
  auto answer = PQsendQuery(connection.get(), "COMMIT") == 1 ? last(deadline()) : lost();
  if (!answer && !connection) {
    return fail(ErrorKind::trouble, "commit_unknown",
                "whether this was committed is unknown: " + answer.error().message, kHint);
  }
  if (!answer) return tl::unexpected(answer.error());
  // A transaction in which a statement failed ends so, too.
  if (std::string_view(PQcmdStatus(answer->get())) == "COMMIT") return {};
  return fail(ErrorKind::trouble, "database_error",
              "PostgreSQL: a statement failed, and all was rolled back");
}

Postgres::Postgres(std::unique_ptr<State> state) : state_(std::move(state)) {}
Postgres::Postgres(Postgres&&) noexcept = default;
Postgres& Postgres::operator=(Postgres&&) noexcept = default;
Postgres::~Postgres() = default;

Result<Postgres> Postgres::connect(const PostgresOptions& options) {
  const auto words = LUZIA_TRY(connection_words(options));
  std::vector<const char*> names, values;
  for (const auto& [name, value] : words) {
    names.push_back(name.c_str());
    values.push_back(value.c_str());
  }
  names.push_back(nullptr);
  values.push_back(nullptr);
  auto state = std::make_unique<State>();
  state->connection.reset(PQconnectdbParams(names.data(), values.data(), 1));
  state->shown = shown_database(options.url);
  state->patience = options.statement_patience;
  state->hurry_fd = options.hurry_fd;
  PGconn* const connection = state->connection.get();
  if (connection == nullptr || PQstatus(connection) != CONNECTION_OK) {
    return not_connected(connection, state->shown);
  }
  PQsetNoticeProcessor(
      connection, [](void*, const char*) {}, nullptr);
  if (PQsetnonblocking(connection, 1) != 0) return state->lost();
  // The server gives up first, so that it says why.
  const auto on_server =
      std::to_string(std::max<std::int64_t>(1, options.statement_patience.count() * 9 / 10));
  Postgres database(std::move(state));
  LUZIA_TRY(database.script(
      "SET statement_timeout = " + on_server + "; SET lock_timeout = " + on_server +
      "; SET idle_in_transaction_session_timeout = " +
      std::to_string(2 * options.statement_patience.count()) +
      "; SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET "
      "tcp_keepalives_count = 3; SET synchronous_commit = on; SET DateStyle = ISO; SET TimeZone = 'UTC'"));
  return database;
}

Result<PostgresRows> Postgres::run(const std::string& sql, std::span<const PostgresValue> values) {
  State& state = *state_;
  if (!state.connection) return state.lost();
  std::vector<const char*> pointers;
  std::vector<int> lengths, formats;
  for (const PostgresValue& value : values) {
    pointers.push_back(value.bytes ? value.bytes->c_str() : nullptr);
    lengths.push_back(value.bytes ? static_cast<int>(value.bytes->size()) : 0);
    formats.push_back(value.binary ? 1 : 0);
  }
  if (PQsendQueryParams(state.connection.get(), sql.c_str(), static_cast<int>(values.size()), nullptr,
                        pointers.data(), lengths.data(), formats.data(), 0) != 1) {
    return state.lost();
  }
  const auto answer = LUZIA_TRY(state.last(state.deadline()));
  const PGresult* const result = answer.get();
  PostgresRows found;
  const int width = PQnfields(result);
  for (int column = 0; column < width; ++column) found.columns.emplace_back(PQfname(result, column));
  for (int row = 0; row < PQntuples(result); ++row) {
    PostgresRow& to = found.rows.emplace_back();
    for (int column = 0; column < width; ++column) {
      if (PQgetisnull(result, row, column) != 0) {
        to.emplace_back();
      } else {
        to.emplace_back(std::in_place, PQgetvalue(result, row, column),
                        static_cast<std::size_t>(PQgetlength(result, row, column)));
      }
    }
  }
  return found;
}

Status Postgres::script(const std::string& sql) {
  if (!state_->connection || PQsendQuery(state_->connection.get(), sql.c_str()) != 1) return state_->lost();
  LUZIA_TRY(state_->last(state_->deadline()));
  return {};
}

Result<bool> Postgres::wait_notified(std::chrono::milliseconds most, int beside) {
  State& state = *state_;
  if (!state.connection) return state.lost();
  const auto until = Clock::now() + most;
  PGconn* const connection = state.connection.get();
  bool notified = false;
  while (true) {
    if (PQconsumeInput(connection) == 0) return state.lost();
    while (PGnotify* const notice = PQnotifies(connection)) {
      PQfreemem(notice);
      notified = true;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    if (notified || left <= 0) return notified;
    std::array<pollfd, 2> waited = {pollfd{PQsocket(connection), POLLIN, 0}, pollfd{beside, POLLIN, 0}};
    const int ready = ::poll(waited.data(), waited.size(), static_cast<int>(left));
    if (ready < 0 && errno != EINTR) return state.lost(std::strerror(errno));
    if (ready > 0 && waited[1].revents != 0) return false;
  }
}

Status Postgres::copy_begin(const std::string& sql) {
  LUZIA_TRY(script(sql));
  state_->copying = true;
  return {};
}

Status Postgres::copy_write(std::string_view bytes) {
  State& state = *state_;
  if (!state.connection) return state.lost();
  auto deadline = state.deadline();
  constexpr std::size_t kPiece = 256 << 10;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(kPiece, bytes.size()))) {
    const auto piece = static_cast<int>(std::min(kPiece, bytes.size()));
    while (true) {
      const int taken = PQputCopyData(state.connection.get(), bytes.data(), piece);
      if (taken < 0) return state.lost();
      if (taken > 0) break;
      LUZIA_TRY(state.wait(POLLIN | POLLOUT, deadline));
      if (PQconsumeInput(state.connection.get()) == 0) return state.lost();
    }
    LUZIA_TRY(state.flush(deadline));
  }
  return {};
}

Status Postgres::copy_finish() {
  if (!state_->connection) return state_->lost();
  return state_->end_copy(nullptr);
}

Status Postgres::transaction(const std::function<Status()>& body) {
  State& state = *state_;
  if (state.in_transaction) return body();
  LUZIA_TRY(script("BEGIN"));
  state.in_transaction = true;
  const Status done = body();
  state.in_transaction = false;
  if (done) return state.connection ? state.commit() : state.lost();
  const std::string why = state.sqlstate;
  if (state.connection && state.copying) (void)state.end_copy("the transaction is rolled back");
  if (state.connection) (void)script("ROLLBACK");
  state.sqlstate = why;
  return done;
}

std::string Postgres::last_sqlstate() const {
  return state_->sqlstate;
}

bool Postgres::is_usable() const {
  return state_->connection != nullptr;
}

Result<std::string> Postgres::encrypted_password(const std::string& role, const std::string& password) {
  if (!state_->connection) return state_->lost();
  const std::unique_ptr<char, void (*)(void*)> text(
      PQencryptPasswordConn(state_->connection.get(), password.c_str(), role.c_str(), "scram-sha-256"),
      PQfreemem);
  if (text) return std::string(text.get());
  return fail(ErrorKind::trouble, "database_error",
              "the password of " + role + " cannot be encrypted: " +
                  short_line(PQerrorMessage(state_->connection.get()), kLongestMessage));
}

std::string copy_text(const std::vector<std::optional<std::string>>& row) {
  std::string line;
  for (const auto& value : row) {
    if (&value != &row.front()) line += '\t';
    if (!value) line += "\\N";
    for (const char c : value ? std::string_view(*value) : std::string_view()) {
      switch (c) {
        case '\0':
          break;
        case '\\':
          line += "\\\\";
          break;
        case '\n':
          line += "\\n";
          break;
        case '\r':
          line += "\\r";
          break;
        case '\t':
          line += "\\t";
          break;
        default:
          line += c;
      }
    }
  }
  return line += '\n';
}

std::string pg_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted.append(c == '"' ? 2 : c == '\0' ? 0 : 1, c);
  return quoted += '"';
}

std::string pg_text(std::string_view text) {
  std::string quoted = text.find('\\') == std::string_view::npos ? "'" : "E'";
  for (const char c : text) quoted.append(c == '\'' || c == '\\' ? 2 : c == '\0' ? 0 : 1, c);
  return quoted += '\'';
}

}  // namespace luzia
