#include "tests/postgres_server.h"

#include <gtest/gtest.h>
#include <pwd.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include "tests/wait_until.h"

namespace luzia {
namespace {

/// Of the newest version that is installed; empty: none is.
std::string programs_folder() {
  std::vector<std::pair<int, std::string>> found;
  std::error_code ignored;
  for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql", ignored)) {
    const auto folder = version.path() / "bin";
    if (std::filesystem::exists(folder / "initdb", ignored)) {
      found.emplace_back(std::atol(version.path().filename().c_str()), folder.string());
    }
  }
  return found.empty() ? std::string() : std::ranges::max(found).second;
}

/// The server's process; 0: it does not run.
pid_t process_of(const std::string& data) {
  pid_t pid = 0;
  std::ifstream(data + "/postmaster.pid") >> pid;
  return pid;
}

bool is_gone(pid_t pid) {
  return ::kill(pid, 0) != 0 && errno == ESRCH;
}

}  // namespace

/// Runs one of PostgreSQL's programs, as `postgres` if we are root.
bool PostgresServer::run(const std::string& words) const {
  const std::string as = ::geteuid() == 0 ? "runuser -u postgres -- " : "";
  const std::string command = "cd " + folder() + " && " + as + programs_folder() + "/" + words + " >> " +
                              folder_.file("output") + " 2>&1 < /dev/null";
  return std::system(command.c_str()) == 0;
}

std::unique_ptr<PostgresServer> PostgresServer::start() {
  std::unique_ptr<PostgresServer> server(new PostgresServer());
  if (::geteuid() == 0) {
    const passwd* account = ::getpwnam("postgres");
    if (account == nullptr || ::chown(server->folder().c_str(), account->pw_uid, account->pw_gid) != 0) {
      ADD_FAILURE() << "no account postgres: install the package postgresql";
      return server;
    }
  }
  const bool made =
      server->run("initdb -D " + server->data() + " --no-sync -U postgres -A trust -E UTF8 --locale=C");
  EXPECT_TRUE(made) << "initdb failed: is the package postgresql installed?";
  // Nothing here outlives the machine: fsync would only take time.
  std::ofstream(server->data() + "/postgresql.conf", std::ios::app)
      << "listen_addresses = ''\nunix_socket_directories = '" << server->folder()
      << "'\nfsync = off\nshared_buffers = '32MB'\nmax_connections = 40\n";
  if (made) server->restart();
  return server;
}

PostgresServer::~PostgresServer() {
  kill();
}

std::string PostgresServer::url_of(const std::string& role, const std::string& database) const {
  return "host=" + folder() + " user=" + role + " dbname=" + database;
}

std::string PostgresServer::url(const std::string& database) {
  const std::string as = "-h " + folder() + " -U postgres ";
  if (!run("psql " + as + "-d " + database + " -c 'SELECT 1'")) {
    EXPECT_TRUE(run("createdb " + as + database)) << database;
  }
  return url_of("postgres", database);
}

void PostgresServer::stop() {
  EXPECT_TRUE(run("pg_ctl -D " + data() + " -m fast -w stop"));
}

void PostgresServer::kill() {
  const pid_t server = process_of(data());
  if (server <= 0) return;
  const std::string number = std::to_string(server);
  std::ifstream children("/proc/" + number + "/task/" + number + "/children");
  std::vector<pid_t> all{std::istream_iterator<pid_t>(children), {}};
  all.insert(all.begin(), server);
  for (const pid_t pid : all) ::kill(pid, SIGKILL);
  EXPECT_TRUE(wait_until([&all] { return std::ranges::all_of(all, is_gone); }));
  ::unlink((data() + "/postmaster.pid").c_str());
}

void PostgresServer::restart() {
  const bool started = run("pg_ctl -D " + data() + " -w -t 60 -l " + folder() + "/log start");
  std::ostringstream log;
  if (!started) log << std::ifstream(folder() + "/log").rdbuf();
  EXPECT_TRUE(started) << log.str();
}

}  // namespace luzia
