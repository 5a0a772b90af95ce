// luzia-web: the page and the HTTP API. A program of its own, a client of the daemon's socket: whatever
// happens to it, the log does not notice. This is the composition root.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "engine/base/descriptor.h"
#include "engine/base/standard_files.h"
#include "engine/base/store_file.h"
#include "engine/base/try.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json_object.h"
#include "tools/cli/console.h"
#include "tools/cli/surroundings.h"
#include "tools/luzia-web/settings.h"
#include "tools/luzia-web/web_server.h"

namespace luzia::web {
namespace {

constexpr rlim_t kMostFiles = 4'096;

/// Holds the lock of the store's only luzia-web. `web_runs` (refused): another one does.
Result<Descriptor> only_one(const std::string& store) {
  if (store.empty()) return Descriptor();
  Descriptor lock(LUZIA_TRY(open_store_file(store + ".web.lock", O_RDWR | O_CREAT)));
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
  return fail(ErrorKind::refused, "web_runs", "a luzia-web of " + store + " runs already",
              "luzia web status shows where");
}

std::string state_path(const std::string& store) {
  return store.empty() ? std::string() : store + ".web.json";
}

Status write_state(const std::string& store, const std::string& url) {
  if (store.empty()) return {};
  std::string text;
  JsonObject object(text);
  object.number("pid", static_cast<std::int64_t>(::getpid()));
  object.text("url", url);
  object.time("started", wall_clock());
  object.end();
  return write_store_file(state_path(store), text + "\n");
}

void limit_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::min(limit.rlim_max, kMostFiles);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// Requests speak for devices, never for the job in which somebody started this program.
void forget_job() {
  for (const char* name :
       {"LUZIA_JOB_ID", "LUZIA_ATTEMPT", "LUZIA_CREDENTIAL", "LUZIA_SOCKET", "LUZIA_STORE"})
    ::unsetenv(name);
}

sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  return signals;
}

/// The daemon that keeps this program running holds a pipe open.
void wait_for_hang_up() {
  struct stat status {};
  if (::fstat(STDIN_FILENO, &status) != 0 || !S_ISFIFO(status.st_mode)) return;
  std::thread([] {
    char byte = 0;
    while (::read(STDIN_FILENO, &byte, 1) > 0) {
    }
    ::kill(::getpid(), SIGTERM);
  }).detach();
}

Status serve(const Settings& settings) {
  const auto lock = LUZIA_TRY(only_one(settings.store));
  WebServer server(settings.socket, {settings.store, settings.config_file}, settings.listening);
  const std::string url = LUZIA_TRY(server.start());
  LUZIA_TRY(write_state(settings.store, url));
  std::printf("listening at %s\n", url.c_str());
  std::fflush(stdout);
  std::thread([&server, signals = ending_signals()] {
    int signal = 0;
    ::sigwait(&signals, &signal);
    server.stop();
  }).detach();
  wait_for_hang_up();
  server.run([path = state_path(settings.store)] {
    if (!path.empty()) ::unlink(path.c_str());
    ::_exit(0);  // threads may still wait for the daemon
  });
  return {};
}

int run(const std::vector<std::string>& words) {
  const auto settings = settings_of(words);
  if (!settings) return print_error("luzia-web", settings.error(), false);
  if (settings->help || settings->version) {
    std::fputs(settings->help ? kUsage : "luzia-web " LUZIA_VERSION "\n", stdout);
    return 0;
  }
  std::signal(SIGPIPE, SIG_IGN);
  const sigset_t signals = ending_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  forget_job();
  limit_files();
  const Status served = serve(*settings);
  return served ? 0 : print_error("luzia-web", served.error(), false);
}

}  // namespace
}  // namespace luzia::web

int main(int argc, char** argv) {
  luzia::open_standard_files();
  return luzia::web::run({argv + 1, argv + argc});
}
