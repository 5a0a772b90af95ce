#include "adapters/postgres/postgres_url.h"

#include <fcntl.h>
#include <libpq-fe.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "engine/base/characters.h"
#include "engine/base/descriptor.h"
#include "engine/base/short_line.h"
#include "engine/base/try.h"

namespace luzia {
namespace {

constexpr std::size_t kMostPasswordBytes = 1'000;
using UrlParts = std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)>;

Result<UrlParts> url_parts(const std::string& url) {
  char* problem = nullptr;
  UrlParts parts(PQconninfoParse(url.c_str(), &problem), PQconninfoFree);
  const std::string why = problem == nullptr ? "out of memory" : short_line(problem);
  PQfreemem(problem);
  if (parts) return parts;
  // libpq may repeat a piece of the URL, and that piece may be a password.
  const bool repeats = url.find('@') != std::string::npos || url.find("password") != std::string::npos;
  return fail(ErrorKind::usage, "bad_database_url",
              "the URL of the database cannot be read" + (repeats ? std::string() : ": " + why),
              "write postgresql://ROLE@HOST:PORT/DATABASE, or service=NAME");
}

std::string part_of(const PQconninfoOption* parts, std::string_view name) {
  for (; parts->keyword != nullptr; ++parts) {
    if (name == parts->keyword) return parts->val == nullptr ? std::string() : parts->val;
  }
  return {};
}

tl::unexpected<Error> bad_password_file(const std::string& what, const std::string& hint) {
  return fail(ErrorKind::refused, "password_file", "reading the database's password: " + what, hint);
}

/// Whether the password and the rows leave this machine and nobody has said how: libpq then goes on without
/// TLS if whoever answers has none.
bool needs_tls(const PQconninfoOption* parts) {
  const auto part = [parts](std::string_view name) { return part_of(parts, name); };
  // A service may say it, which libpq reads later, and what is said here would win.
  if (!part("sslmode").empty() || !part("service").empty()) return false;
  if (std::getenv("PGSSLMODE") != nullptr || std::getenv("PGSERVICE") != nullptr) return false;
  std::string hosts = part("hostaddr").empty() ? part("host") : part("hostaddr");
  if (const char* usual = std::getenv("PGHOST"); hosts.empty() && usual != nullptr) hosts = usual;
  while (!hosts.empty()) {
    const std::string host = hosts.substr(0, hosts.find(','));
    hosts.erase(0, host.size() + 1);
    const bool is_here = host.empty() || host.front() == '/' || host.front() == '@' || host == "localhost" ||
                         host.starts_with("127.") || host == "::1";
    if (!is_here) return true;
  }
  return false;
}

std::vector<std::string> pieces_at_commas(const std::string& text) {
  std::vector<std::string> pieces(1);
  for (const char c : text) {
    if (c == ',') {
      pieces.emplace_back();
    } else if (c == '/') {
      pieces.back() += "%2F";  // a folder of sockets
    } else {
      pieces.back() += c;
    }
  }
  return pieces;
}

}  // namespace

Result<std::string> read_password_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const int error = errno;
  if (!file) return fail_errno(error, "password_file", "reading the database's password: " + path);
  struct stat status {};
  const bool is_file = ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode);
  auto text = is_file ? read_up_to(file.get(), kMostPasswordBytes) : std::nullopt;
  if (!text) return bad_password_file(path + " is not a file", "put the password into a file of its own");
  if ((status.st_mode & 077) != 0) return bad_password_file("others may read " + path, "chmod 600 " + path);
  std::string password = text->substr(0, text->find_first_of("\r\n"));
  if (password.empty() || password.find('\0') != std::string::npos) {
    return bad_password_file(path + " has no password in its first line", "write the password into it");
  }
  return password;
}

Result<std::vector<std::pair<std::string, std::string>>> connection_words(const PostgresOptions& options) {
  const auto parts = LUZIA_TRY(url_parts(options.url));
  if (!part_of(parts.get(), "password").empty()) {
    return fail(ErrorKind::usage, "bad_database_url",
                "the URL of the database has a password in it, which others could read",
                "put the password into ~/.pgpass, or into a file of mode 600 that password_file names");
  }
  const auto seconds = std::max<std::int64_t>(2, options.connect_patience.count() / 1'000);
  // What comes before the URL are defaults, what comes after wins.
  std::vector<std::pair<std::string, std::string>> words = {
      {"target_session_attrs", "read-write"},
      {"connect_timeout", std::to_string(seconds)},
      {"keepalives_idle", "30"},
      {"keepalives_interval", "10"},
      {"keepalives_count", "3"},
      {"tcp_user_timeout", std::to_string(options.statement_patience.count())},
      {"dbname", options.url},
      {"application_name", options.application_name},
      {"client_encoding", "UTF8"}};
  if (needs_tls(parts.get())) words.emplace_back("sslmode", "require");
  if (!options.password_file.empty()) {
    words.emplace_back("password", LUZIA_TRY(read_password_file(options.password_file)));
  }
  return words;
}

std::string shown_database(const std::string& url, const std::string& role) {
  const auto parts = url_parts(url);
  if (!parts) return {};
  const auto part = [&](std::string_view name) { return part_of(parts->get(), name); };
  if (const std::string service = part("service"); !service.empty())
    return without_control_characters("service=" + service);
  const std::string user = role.empty() ? part("user") : role;
  const auto hosts = pieces_at_commas(part("host").empty() ? part("hostaddr") : part("host"));
  const auto ports = pieces_at_commas(part("port"));
  std::string shown = "postgresql://" + user + (user.empty() ? "" : "@");
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const std::string& port = ports[std::min(i, ports.size() - 1)];
    shown += (i == 0 ? "" : ",") + hosts[i] + (port.empty() ? "" : ":" + port);
  }
  return without_control_characters(shown + "/" + part("dbname"));
}

}  // namespace luzia
