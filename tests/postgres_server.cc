#include "tests/postgres_server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include "engine/base/descriptor.h"
#include "tests/paths.h"
#include "tests/wait_until.h"

namespace luzia {
namespace {

/// The newest version that is installed, and the folder of its programs; 0: none is.
std::pair<int, std::string> newest_programs() {
  std::vector<std::pair<int, std::string>> found;
  std::error_code ignored;
  for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql", ignored)) {
    const auto folder = version.path() / "bin";
    if (std::filesystem::exists(folder / "initdb", ignored)) {
      found.emplace_back(std::atol(version.path().filename().c_str()), folder.string());
    }
  }
  return found.empty() ? std::pair(0, std::string()) : std::ranges::max(found);
}

/// `to` is replaced.
bool copied(const std::string& from, const std::string& to) {
  std::error_code ignored;
  std::filesystem::remove_all(to, ignored);
  return std::system(("cp -a --reflink=auto " + from + " " + to).c_str()) == 0;
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
  const std::string command = "cd " + folder() + " && " + as + newest_programs().second + "/" + words +
                              " >> " + folder_.file("output") + " 2>&1 < /dev/null";
  return std::system(command.c_str()) == 0;
}

/// If we are root, the folder must belong to the account that the server runs as.
bool PostgresServer::give_to_account() const {
  if (::geteuid() != 0) return true;
  const passwd* account = ::getpwnam("postgres");
  const bool given = account != nullptr && ::chown(folder().c_str(), account->pw_uid, account->pw_gid) == 0;
  EXPECT_TRUE(given) << "no account postgres: install the package postgresql";
  return given;
}

/// The last of several values of a setting counts.
void PostgresServer::configure(const std::string& settings) const {
  std::ofstream(data() + "/postgresql.conf", std::ios::app)
      << "unix_socket_directories = '" << folder() << "'\nlisten_addresses = '" << address_ << "'\n"
      << settings;
}

/// The folder of a cluster that nothing runs on, in the build folder, for all test programs: each test is a
/// process, and initdb takes two seconds of processor time. Empty: it could not be made.
std::string PostgresServer::made_once() {
  const std::string cluster = build_path("postgres-" + std::to_string(newest_programs().first));
  const Descriptor lock(::open((cluster + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock || ::flock(lock.get(), LOCK_EX) != 0) return {};
  if (std::filesystem::exists(cluster)) return cluster;
  const PostgresServer maker;
  if (!maker.give_to_account()) return {};
  const std::string words = " --no-sync -U postgres -A trust -E UTF8 --locale=C";
  const bool made = maker.run("initdb -D " + maker.data() + words) &&
                    copied(maker.data(), cluster + ".new") &&
                    std::rename((cluster + ".new").c_str(), cluster.c_str()) == 0;
  return made ? cluster : std::string();
}

std::unique_ptr<PostgresServer> PostgresServer::start(const std::string& address) {
  std::unique_ptr<PostgresServer> server(new PostgresServer());
  server->address_ = address;
  if (!server->give_to_account()) return server;
  const std::string cluster = made_once();
  const bool made = !cluster.empty() && copied(cluster, server->data());
  EXPECT_TRUE(made) << "initdb failed: is the package postgresql installed?";
  // Nothing here outlives the machine: fsync would only take time.
  server->configure("fsync = off\nshared_buffers = '32MB'\nmax_connections = 40\n");
  std::ofstream(server->data() + "/pg_hba.conf", std::ios::app)
      << "host all all samenet trust\nhost replication all samenet trust\n";
  if (made) server->restart();
  return server;
}

std::unique_ptr<PostgresServer> PostgresServer::standby_of(PostgresServer& primary,
                                                           const std::string& address) {
  std::unique_ptr<PostgresServer> standby(new PostgresServer());
  standby->address_ = address;
  if (!standby->give_to_account()) return standby;
  const bool copied = standby->run("pg_basebackup -D " + standby->data() + " --no-sync -R -c fast -d 'host=" +
                                   (primary.address_.empty() ? primary.folder() : primary.address_) +
                                   " user=postgres application_name=standby'");
  EXPECT_TRUE(copied) << "pg_basebackup failed";
  if (!copied) return standby;
  standby->configure("");
  standby->restart();
  const std::string ask = "psql -At -v ON_ERROR_STOP=1 -h " + primary.folder() + " -U postgres ";
  EXPECT_TRUE(primary.run(ask + "-c \"ALTER SYSTEM SET synchronous_standby_names = 'standby'\" "
                                "-c 'SELECT pg_reload_conf()'"));
  EXPECT_TRUE(wait_until([&] {
    return primary.run(ask + "-c \"SELECT 1 / count(*) FROM pg_stat_replication WHERE sync_state = 'sync'\"");
  })) << "the standby does not follow";
  return standby;
}

void PostgresServer::promote() {
  EXPECT_TRUE(run("pg_ctl -D " + data() + " -w -t 60 promote"));
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
