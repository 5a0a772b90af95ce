// luziad: the daemon. Owns the store, decides, schedules, watches, serves. One per store.
#include <fcntl.h>
#include <signal.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <latch>
#include <system_error>
#include <thread>
#include <vector>

#include "adapters/config/config.h"
#include "engine/base/descriptor.h"
#include "engine/base/process_limits.h"
#include "engine/base/spawning.h"
#include "engine/base/standard_files.h"
#include "engine/base/store_file.h"
#include "engine/log/store_dir.h"
#include "engine/view/new_views.h"
#include "tools/luziad/daemon.h"

namespace luzia {
namespace {

constexpr const char* kUsage =
    "luziad: the daemon behind luzia. luzia starts it when it is needed.\n"
    "\n"
    "usage: luziad [--store DIR] [--config FILE] [--foreground] [--accept-log-end] [--version] [--help]\n"
    "\n"
    "  --store DIR     the store (default: [store] path, else as luziad(8) says)\n"
    "  --config FILE   read this configuration too\n"
    "  --foreground    log to standard error as well\n"
    "  --accept-log-end\n"
    "                  open a log that ends before its watermark, or has none, or that was put in the place\n"
    "                  of a newer one: what was acknowledged behind that end is lost. Only after a refusal\n"
    "                  that names this option\n"
    "\n"
    "example: luziad --foreground --store /tmp/try\n";

struct Arguments {
  DaemonOptions options;
  bool foreground = false;
};

int usage_error(const std::string& what) {
  fprintf(stderr, "luziad: %s\n  hint: luziad --help\n", what.c_str());
  return static_cast<int>(ErrorKind::usage);
}

std::string own_path() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).string();
}

/// The path without links and dots, as far as it can be resolved.
std::string plain_path(const std::filesystem::path& path) {
  std::error_code trouble;
  const auto plain = std::filesystem::weakly_canonical(path, trouble);
  return (trouble ? path.lexically_normal() : plain).string();
}

/// The first place that fits, relative to luziad's folder: as built, as installed, from a package. Empty:
/// none.
template <class Fits>
std::string first_fit(const std::string& program, std::initializer_list<const char*> places, Fits fits) {
  for (const char* place : places) {
    const std::filesystem::path candidate = std::filesystem::path(program).parent_path() / place;
    if (fits(candidate)) return plain_path(candidate);
  }
  return {};
}

bool is_executable(const std::filesystem::path& path) {
  return access(path.c_str(), X_OK) == 0;
}

bool is_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

bool is_program(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && is_executable(path);
}

/// Jobs run without luzia, but without worktrees and snapshots. Without compiled patterns of known issues the
/// daemon compiles them itself, once.
void find_parts(const std::string& program, DaemonOptions& options) {
  options.runner_program = first_fit(
      program,
      {"luzia-run", "../luzia-run/luzia-run", "../libexec/luzia/luzia-run", LUZIA_LIBEXEC_DIR "/luzia-run"},
      is_executable);
  options.client_program = first_fit(program, {"luzia", "../luzia/luzia"}, is_program);
  options.patterns_folder = first_fit(
      program, {"../luzia-patterns/made", "../share/luzia/patterns", LUZIA_DATA_DIR "/patterns"}, is_folder);
}

/// The number of the first socket that systemd passes.
constexpr int kFirstDescriptor = 3;

/// It stays open across exec of luziad, but other programs do not inherit it.
std::optional<int> systemd_socket() {
  const char* pid = getenv("LISTEN_PID");
  const char* count = getenv("LISTEN_FDS");
  if (pid == nullptr || count == nullptr || std::to_string(getpid()) != pid) return std::nullopt;
  if (std::string_view(count) == "0") return std::nullopt;
  fcntl(kFirstDescriptor, F_SETFD, FD_CLOEXEC);
  return kFirstDescriptor;
}

/// Set by a luziad that restarts: the descriptor of the store's lock, which it never released.
constexpr const char* kHeldLock = "LUZIAD_HELD_LOCK";

/// Takes the descriptor that `variable` names out of the environment.
std::optional<int> take_descriptor(const char* variable) {
  const char* text = getenv(variable);
  int fd = -1;
  if (text == nullptr || std::from_chars(text, text + strlen(text), fd).ec != std::errc())
    return std::nullopt;
  unsetenv(variable);
  return fd;
}

/// The pipe of a program that waits until this daemon listens. Nothing else may be named there.
Descriptor ready_descriptor() {
  const auto fd = take_descriptor(kReadyDescriptor);
  struct stat info {};
  if (!fd || *fd < kFirstDescriptor || fstat(*fd, &info) != 0 || !S_ISFIFO(info.st_mode)) return {};
  fcntl(*fd, F_SETFD, FD_CLOEXEC);
  return Descriptor(*fd);
}

/// Set by a luziad that restarts: its original limits, which it has raised.
constexpr const char* kGivenLimits = "LUZIAD_GIVEN_LIMITS";

std::string given_limits() {
  const char* text = getenv(kGivenLimits);
  std::string limits = text == nullptr ? raise_limits() : text;
  unsetenv(kGivenLimits);
  return limits;
}

/// Resets what the starting program may have changed: signal mask, umask, closed descriptors.
void leave_surroundings() {
  open_standard_files();
  umask(0077);  // luzia-run sets its own for agents and hooks
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // exceeding the file size limit becomes a failed write
  signal(SIGCHLD, SIG_IGN);  // the kernel reaps luzia-runs; their exit records show the ends
}

/// Creates as many threads as this program and its libraries will. If they do not fit, RocksDB and libuv
/// would abort later, in the middle of their work.
Status check_threads() {
  constexpr std::ptrdiff_t kThreads = 24;
  std::latch all(1);
  std::vector<std::jthread> threads;
  const auto let_go = [&all] { all.count_down(); };
  try {
    for (std::ptrdiff_t i = 0; i < kThreads; ++i) threads.emplace_back([&all] { all.wait(); });
  } catch (const std::system_error& error) {
    let_go();
    return fail(
        ErrorKind::trouble, "limits_too_low",
        "cannot start the " + std::to_string(kThreads) + " threads of a daemon: " + error.code().message(),
        "see the limits on processes and memory (ulimit -u, -v, -s)");
  }
  let_go();
  return {};
}

/// Call it before touching the store.
Status check_surroundings() {
  if (const auto low = too_low_limit(0, Bound::soft)) return tl::unexpected(*low);
  return check_threads();
}

/// Returns the code with which to exit at once, or nullopt.
std::optional<int> parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help" || word == "-h") {
      fputs(kUsage, stdout);
      return 0;
    }
    if (word == "--version") {
      puts("luziad " LUZIA_VERSION);
      return 0;
    }
    if (word == "--foreground") {
      arguments.foreground = true;
    } else if (word == "--accept-log-end") {
      arguments.options.accept_log_end = true;
    } else if (word == "--store" || word == "--config") {
      if (i + 1 >= argc || argv[i + 1][0] == '\0') return usage_error(std::string(word) + " needs a value");
      (word == "--store" ? arguments.options.store : arguments.options.config_file) = argv[++i];
    } else {
      return usage_error("unknown argument '" + std::string(word) + "'");
    }
  }
  if (!arguments.options.store.empty()) {
    std::error_code trouble;
    const auto whole = std::filesystem::absolute(arguments.options.store, trouble);
    if (trouble) {
      return usage_error("--store " + arguments.options.store + " is below a folder that cannot be found: " +
                         trouble.message() + "; give an absolute path");
    }
    arguments.options.store = whole.lexically_normal().string();
  }
  return std::nullopt;
}

/// Why a log file must not be used: it would block, grow, or lead elsewhere. A file named by a person may be
/// a link, or /dev/null.
std::string trouble_with_log(const std::string& file, bool ours) {
  struct stat info {};
  if (ours) {
    const auto checked = check_store_file(file);
    return checked ? std::string() : "cannot log: " + checked.error().message;
  }
  if (stat(file.c_str(), &info) != 0 || S_ISREG(info.st_mode) || S_ISCHR(info.st_mode)) return {};
  return "cannot log to " + file + ": it is not a file";
}

/// Returns why the log file cannot be written; empty if it can.
std::string set_up_logging(const std::string& store, const Config& config, bool foreground) {
  constexpr std::size_t kLogBytes = 5 << 20;
  constexpr std::size_t kLogFiles = 3;
  std::vector<spdlog::sink_ptr> sinks;
  if (foreground) sinks.push_back(std::make_shared<spdlog::sinks::stderr_sink_mt>());
  const std::string file = config.logging.log_file.empty() ? store + "/luziad.log" : config.logging.log_file;
  std::string trouble = trouble_with_log(file, config.logging.log_file.empty());
  if (trouble.empty()) try {
      sinks.push_back(std::make_shared<spdlog::sinks::rotating_file_sink_mt>(file, kLogBytes, kLogFiles));
    } catch (const spdlog::spdlog_ex& error) {
      trouble = "cannot log to " + file + ": " + error.what();
    }
  auto logger = std::make_shared<spdlog::logger>("luziad", sinks.begin(), sinks.end());
  logger->set_level(spdlog::level::from_str(config.logging.log_level));
  logger->flush_on(spdlog::level::info);
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%f%z %l %v");
  spdlog::set_default_logger(std::move(logger));
  return trouble;
}

/// Replaces this process with `program`, which inherits the socket and the store's lock. A released daemon
/// may still have threads that log until they are gone, so nothing that they use is shut down first.
int start_over(const std::string& program, char** argv, const std::string& store, DaemonEnding ending,
               const DaemonOptions& given) {
  // After a failed commit the log still holds the lock, and releases it only when the new program starts.
  const auto lock = StoreLock::acquire(store);
  std::error_code ignored;
  if (lock && ending == DaemonEnding::restart_without_views)
    std::filesystem::remove_all(store + "/views", ignored);
  if (lock && ending == DaemonEnding::restart_with_new_views) {
    if (auto taken = take_new_views(store); !taken) spdlog::error("{}", taken.error().message);
  }
  spdlog::info("starting over");
  // Limits how often an error can repeat.
  if (ending != DaemonEnding::restart_with_new_views) sleep(1);
  const auto once = [](const char* word) { return std::string_view(word) == "--accept-log-end"; };
  char** end = argv;
  while (*end != nullptr) ++end;
  *std::remove_if(argv, end, once) = nullptr;
  close_range(kFirstDescriptor, ~0U, CLOSE_RANGE_CLOEXEC);
  if (given.inherited_socket) fcntl(kFirstDescriptor, F_SETFD, 0);
  setenv(kGivenLimits, given.given_limits.c_str(), 1);
  if (lock) setenv(kHeldLock, std::to_string(lock->keep_over_exec()).c_str(), 1);
  execv(program.c_str(), argv);
  perror("luziad: cannot start over");
  _exit(static_cast<int>(ErrorKind::trouble));
}

/// If the machine runs out of memory, the kernel takes agents first: luzia-run raises their score, and root's
/// daemon lowers its own and that of its luzia-runs (proc(5): oom_score_adj). Users' daemons may not.
void ask_to_be_spared() {
  const int fd = geteuid() == 0 ? open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC) : -1;
  if (fd < 0) return;
  // A container may forbid it.
  [[maybe_unused]] const ssize_t ignored = write(fd, "-500", 4);
  close(fd);
}

/// Says why no daemon starts, and returns the exit code.
int explain(const Error& error) {
  const std::string words =
      "luziad: " + error.message + "\n" + (error.hint.empty() ? "" : "  hint: " + error.hint + "\n");
  // On a full disk, standard error (a file in the store) accepts nothing. The process that started the daemon
  // reads both.
  if (fputs(words.c_str(), stderr) < 0 && fputs(words.c_str(), stdout) >= 0) fflush(stdout);
  // For processes that start daemons: another daemon exists or is about to, so waiting helps. No other error
  // has this code.
  if (error.code == "store_locked") return static_cast<int>(ErrorKind::refused);
  return static_cast<int>(error.kind == ErrorKind::refused ? ErrorKind::trouble : error.kind);
}

/// Exits at once: parts of the store that are still open have no place to be written to.
[[noreturn]] void end_without_store(const std::string& store) {
  fprintf(stderr,
          "luziad: the store %s was deleted or moved away\n  hint: running jobs go on; luzia makes a new "
          "store\n",
          store.c_str());
  fflush(stderr);
  _exit(static_cast<int>(ErrorKind::trouble));
}

int run(int argc, char** argv) {
  Arguments arguments;
  if (auto code = parse(argc, argv, arguments)) return *code;
  // Read it now: after an upgrade the kernel reports a deleted file, but restarting should run the new one.
  const std::string program = own_path();
  Descriptor ready = ready_descriptor();
  leave_surroundings();
  ask_to_be_spared();
  arguments.options.given_limits = given_limits();
  const std::optional<int> inherited_socket = systemd_socket();
  arguments.options.inherited_socket = inherited_socket;
  arguments.options.held_lock = take_descriptor(kHeldLock);
  const bool started_over = arguments.options.held_lock.has_value();
  find_parts(program, arguments.options);
  if (arguments.options.runner_program.empty()) {
    return explain({ErrorKind::trouble, "no_runner",
                    "luzia-run is not beside luziad nor in " LUZIA_LIBEXEC_DIR, "install luzia completely"});
  }
  if (auto fit = check_surroundings(); !fit) return explain(fit.error());
  auto config = load_config(arguments.options.config_file);
  if (!config) return explain(config.error());
  if (arguments.options.store.empty()) arguments.options.store = default_store(*config);
  const std::string store = arguments.options.store;
  // An existing path keeps its permissions: it may not be a store, but /dev/null or another user's folder.
  if (auto there = prepare_store_dir(store); !there) return explain(there.error());
  const std::string log_trouble = set_up_logging(store, *config, arguments.foreground);
  DaemonEnding ending;
  {
    auto daemon = Daemon::open(arguments.options);
    if (!daemon) {
      spdlog::error("{}", daemon.error().message);
      // Only once: damage that a replay does not repair is for a person.
      if (daemon.error().code == "views_damaged" && !started_over)
        return start_over(program, argv, store, DaemonEnding::restart_without_views, arguments.options);
      return explain(daemon.error());
    }
    ready.reset();
    // Only now: for an unusable store, one error is enough.
    if (!log_trouble.empty()) fprintf(stderr, "luziad: %s\n", log_trouble.c_str());
    ending = (*daemon)->run();
    // After a failed write, leave the databases as a crash would: closing them writes again, and RocksDB
    // aborts if that fails a second time.
    if (ending == DaemonEnding::restart || ending == DaemonEnding::store_gone) (void)daemon->release();
  }
  if (ending == DaemonEnding::store_gone) end_without_store(store);
  if (ending == DaemonEnding::stopped || ending == DaemonEnding::socket_taken) {
    spdlog::info("stopped");
    return 0;
  }
  return start_over(program, argv, store, ending, arguments.options);
}

}  // namespace
}  // namespace luzia

int main(int argc, char** argv) {
  return luzia::run(argc, argv);
}
