#include "tools/cli/start_daemon.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "adapters/socket/readable.h"
#include "engine/base/descriptor.h"
#include "engine/base/places.h"
#include "engine/base/safe_folder.h"
#include "engine/base/spawning.h"
#include "engine/base/store_file.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr auto kTryAgainEvery = std::chrono::milliseconds(250);
/// How often to try while the daemon that was started neither listens nor has ended. It says when, but a
/// program of an earlier version does not.
constexpr auto kConnectEvery = std::chrono::milliseconds(20);
/// The same when that daemon is gone, and another one is about to listen.
constexpr auto kConnectToAnotherEvery = std::chrono::milliseconds(2);
constexpr off_t kMostErrorBytes = 1 << 20;
constexpr int kReadyNumber = 3;  // of kReadyDescriptor in the daemon

bool is_program(const fs::path& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

std::string on_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const fs::path candidate = fs::path(rest.substr(0, colon)) / name;
    if (candidate.is_absolute() && is_program(candidate)) return candidate.string();
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
  }
  return {};
}

bool is_inherited(std::string_view entry) {
  static constexpr std::array<std::string_view, 9> kWhole = {
      "HOME=", "PATH=", "USER=", "LOGNAME=", "LANG=", "TZ=", "TZDIR=", "TMPDIR=", "LUZIA_CONFIG="};
  for (const std::string_view name : kWhole) {
    if (entry.substr(0, name.size()) == name) return true;
  }
  return entry.substr(0, 3) == "LC_" || entry.substr(0, 4) == "XDG_";
}

struct Started {
  pid_t pid;
  Descriptor errors;  // STORE/daemon.err
  off_t errors_from;  // what was in it before
  Descriptor memory;  // memfd for its stdout: keeps messages that a full disk cannot take
  off_t log_from;     // what was in STORE/luziad.log before
  Descriptor ready;   // the end of a pipe; the daemon closes the other one when it listens
};

/// Runs between fork and exec: only async-signal-safe calls.
[[noreturn]] void become_daemon(const char* program, char* const* words, char* const* environment, int errors,
                                int memory, int ready) {
  ::setsid();
  const int nothing = ::open("/dev/null", O_RDWR);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(memory >= 0 ? memory : nothing, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  ::dup2(ready, kReadyNumber);
  ::fcntl(kReadyNumber, F_SETFD, 0);
  ::close_range(kReadyNumber + 1, ~0U, 0);
  if (::chdir("/") != 0) ::_exit(126);
  ::umask(022);
  ::execve(program, words, environment);
  ::_exit(127);
}

Result<Started> spawn(const Place& place, const std::string& program) {
  if (const int trouble = make_folder(place.store, 0700); trouble != 0) {
    return fail_errno(trouble, "daemon_failed", "starting the daemon: creating " + place.store,
                      "check the folder above it, or use another store (--store)");
  }
  const std::string path = place.store + "/daemon.err";
  const auto opened = open_store_file(path, O_RDWR | O_CREAT | O_APPEND);
  if (!opened) {
    return fail(ErrorKind::trouble, "daemon_failed", "starting the daemon: " + opened.error().message,
                opened.error().hint.empty() ? "check the store's permissions, or use another (--store)"
                                            : opened.error().hint);
  }
  Descriptor memory(::memfd_create("luziad", MFD_CLOEXEC));
  Descriptor errors(*opened);
  struct stat status {};
  if (::fstat(errors.get(), &status) == 0 && status.st_size > kMostErrorBytes &&
      ::ftruncate(errors.get(), 0) == 0) {
    status.st_size = 0;
  }
  std::vector<std::string> words = {program, "--store", place.store};
  if (!place.config_file.empty()) words.insert(words.end(), {"--config", place.config_file});
  std::vector<std::string> environment = daemon_environment(::environ, place.passed_variables);
  environment.push_back(kReadyDescriptor + ("=" + std::to_string(kReadyNumber)));
  int ready[2] = {-1, -1};
  if (::pipe2(ready, O_CLOEXEC) != 0) {
    return fail_errno(errno, "daemon_failed", "starting the daemon " + program);
  }
  Descriptor heard(ready[0]), told(ready[1]);
  std::vector<char*> word_pointers = exec_pointers(words), environment_pointers = exec_pointers(environment);
  struct stat log;  // before it can write
  const off_t log_size = ::stat((place.store + "/luziad.log").c_str(), &log) == 0 ? log.st_size : 0;
  const pid_t pid = ::fork();
  if (pid == 0) {
    become_daemon(program.c_str(), word_pointers.data(), environment_pointers.data(), errors.get(),
                  memory.get(), told.get());
  }
  if (pid < 0) return fail_errno(errno, "daemon_failed", "starting the daemon " + program);
  return Started{pid, std::move(errors), status.st_size, std::move(memory), log_size, std::move(heard)};
}

struct LastWords {
  std::string text, hint;
};

std::string read_from(int fd, off_t offset) {
  std::string text(4096, '\0');
  const ssize_t count = ::pread(fd, text.data(), text.size(), offset);
  text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  return text;
}

/// The daemon's last logged error, without time and level: "cannot write the watermark: Input/output error".
std::string logged_error(const std::string& store, off_t from) {
  const std::string path = store + "/luziad.log";
  const auto opened = open_store_file(path, O_RDONLY);
  if (!opened) return {};
  const Descriptor file(*opened);
  std::string last;
  const std::string text = read_from(file.get(), from);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    for (const std::string_view level : {" error ", " critical "}) {
      if (const std::size_t found = line.find(level); found != line.npos && found == line.find(' ')) {
        last = line.substr(found + level.size());
      }
    }
    at = end + 1;
  }
  return last;
}

/// What the daemon has printed since it was started; a final hint is returned separately.
LastWords last_words(const Place& place, const Started& started) {
  std::string text = read_from(started.errors.get(), started.errors_from);
  if (text.empty()) text = read_from(started.memory.get(), 0);
  if (text.empty()) text = logged_error(place.store, started.log_from);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  constexpr std::string_view kHint = "\n  hint: ";
  const std::size_t hint = text.rfind(kHint);
  if (hint == std::string::npos || text.find('\n', hint + 1) != std::string::npos) {
    return {std::move(text), {}};
  }
  return {text.substr(0, hint), text.substr(hint + kHint.size())};
}

/// Whether the daemon exited because another one has the store. `status`: of wait(2).
bool has_refused(int status) {
  return WIFEXITED(status) && WEXITSTATUS(status) == static_cast<int>(ErrorKind::refused);
}

/// The error for a daemon that exited before it answered. `status`: of wait(2).
tl::unexpected<Error> daemon_failed(const Place& place, const Started& started, int status) {
  const auto [words, hint] = last_words(place, started);
  const std::string what = "starting the daemon for " + place.store + ": it ";
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    const bool killed = signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
    // No command was sent yet, and its log is consistent at any moment: the next daemon continues.
    const std::string safe = "nothing is lost, repeating the command is safe";
    return fail(ErrorKind::trouble, "daemon_failed",
                what + (killed ? "was killed" : "crashed") + " (signal " + std::to_string(signal) + ")" +
                    (words.empty() ? "" : "; it said: " + words),
                (killed         ? safe
                 : hint.empty() ? "luzia doctor"
                                : hint) +
                    "; see " + place.store + "/luziad.log");
  }
  return fail(ErrorKind::trouble, "daemon_failed",
              what + "ended with code " + std::to_string(WEXITSTATUS(status)) +
                  (words.empty() ? " and said nothing" : ": " + words),
              hint.empty() ? "luzia doctor" : hint);
}

/// Tells root about an earlier default store, so that its jobs do not seem lost: the rule has changed.
void report_earlier_store(const Place& place, const std::function<void(std::string_view)>& say) {
  const std::string earlier = earlier_store_of_root();
  if (!place.named_by.empty() || earlier.empty() || earlier == place.store) return;
  say("note: root's store is now " + place.store + ". Earlier jobs are in " + earlier +
      "; luzia doctor says how to keep using them");
}

std::string first_program(std::initializer_list<const char*> folders, const std::string& name) {
  std::error_code ignored;
  const fs::path here = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const char* folder : folders) {
    const fs::path candidate = here / folder / name;
    if (is_program(candidate)) return candidate.lexically_normal().string();
  }
  return {};
}

}  // namespace

std::string find_own_program(const std::string& name) {
  return first_program({".", ("../" + name).c_str(), "../libexec/luzia", "../../bin"}, name);
}

std::string find_daemon_program() {
  if (const char* named = std::getenv("LUZIA_DAEMON"); named != nullptr && named[0] != '\0') {
    return is_program(named) ? fs::absolute(named).string() : std::string();
  }
  const std::string beside = first_program({".", "../luziad", "../sbin"}, "luziad");
  if (!beside.empty()) return beside;
  return on_path("luziad");
}

std::vector<std::string> daemon_environment(const char* const* environment,
                                            const std::vector<std::string>& passed) {
  std::vector<std::string> kept;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const auto is_named = [entry](const std::string& name) {
      return entry.starts_with(name) && entry.substr(name.size()).starts_with('=');
    };
    if (is_inherited(entry) || std::ranges::any_of(passed, is_named)) kept.emplace_back(*environment);
  }
  return kept;
}

Result<Client> start_daemon(const Place& place, const SilenceLimit& silence,
                            const std::function<void(std::string_view)>& say) {
  const std::string program = find_daemon_program();
  if (program.empty()) {
    return fail(ErrorKind::trouble, "no_daemon_program",
                "starting the daemon: luziad is neither beside luzia nor on PATH",
                "reinstall luzia, or set $LUZIA_DAEMON to the path of luziad");
  }
  report_earlier_store(place, say);
  auto started = spawn(place, program);
  if (!started) return tl::unexpected(started.error());
  const auto begun = Clock::now();
  bool said = false;
  auto next_try = Clock::now() + kTryAgainEvery;
  bool ended = false;
  int ended_as = 0;  // as of wait(2)
  while (true) {
    auto client = Client::connect(place.socket, silence);
    if (client || client.error().code != "no_daemon") return client;
    // Exit code 4: another daemon is starting (wait for it) or stopping (start ours again soon).
    const bool refused = ended && has_refused(ended_as);
    const bool hopeless = ended && !refused;
    if (refused && Clock::now() >= next_try) {
      next_try = Clock::now() + kTryAgainEvery;
      if (auto again = spawn(place, program)) {
        started = std::move(again);
        ended = false;
      }
    }
    if (hopeless || Clock::now() >= begun + kPatienceWhileStarting) break;
    if (!said && Clock::now() >= begun + kPatience) {
      said = true;
      say("waiting for the daemon: it is starting and does not answer yet");
    }
    if (!ended) ended = ::waitpid(started->pid, &ended_as, WNOHANG) == started->pid;
    const int ready = started->ready.get();
    if (wait_readable(ready, -1, ready < 0 ? kConnectToAnotherEvery : kConnectEvery).first) {
      started->ready.reset();
    }
  }
  if (ended) return daemon_failed(place, *started, ended_as);
  const std::string words = last_words(place, *started).text;
  return fail(ErrorKind::trouble, "daemon_slow",
              "starting the daemon for " + place.store + ": it does not answer yet" +
                  (words.empty() ? "" : "; it says: " + words),
              "it may be replaying a long log: try again, or see " + place.store + "/luziad.log");
}

}  // namespace luzia
