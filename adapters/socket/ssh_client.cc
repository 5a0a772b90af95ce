#include "adapters/socket/ssh_client.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <optional>
#include <utility>

#include "engine/base/characters.h"
#include "engine/base/shell_quote.h"
#include "engine/base/spawning.h"
#include "engine/base/try.h"

namespace luzia {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kSshFailed = 255, kNotFound = 127, kNotExecutable = 126;  // exit codes of ssh and of shells
constexpr std::size_t kMostSaidBytes = 64 << 10;  // of ssh and of the other shell, before the greeting
constexpr std::size_t kMostQuotedBytes = 300;
constexpr milliseconds kUntilItExits{2'000}, kUntilStopped{100}, kLookAtExitEvery{5};

TimeUs clock_now() {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<TimeUs>(time.tv_sec) * kSecondUs + time.tv_nsec / 1'000;
}

std::string shortened(std::string_view line) {
  const std::string text = without_control_characters(std::string(line.substr(0, kMostQuotedBytes)));
  return std::string(trimmed(text));
}

/// The last line that is neither blank nor a hint of luzia.
std::string last_line_of(std::string_view text) {
  while (true) {
    text = trimmed(text);
    const std::size_t end = text.rfind('\n');
    const std::string_view line = trimmed(end == text.npos ? text : text.substr(end + 1));
    if (end == text.npos || !line.starts_with("hint: ")) return shortened(line);
    text = text.substr(0, end);
  }
}

/// The program ssh that carries a connection: its process, and what it says.
class Ssh : public Carrier {
 public:
  Ssh(SshRoute to, pid_t pid, Descriptor said) : to_(std::move(to)), pid_(pid), said_(std::move(said)) {}
  /// The connection is closed already. ssh passes on what was sent and exits; one that has not reached the
  /// other Luzia, or has been lost, is stopped.
  ~Ssh() override {
    if (ended() || met_) return;
    ::kill(-pid_, SIGTERM);
    wait_for_end(kUntilStopped);
  }
  Ssh(const Ssh&) = delete;
  Ssh& operator=(const Ssh&) = delete;

  void meet() { met_ = true; }
  void give_up() override { met_ = false; }

  Error of_machine(Error error) const override {
    error.message = "machine " + to_.shown() + ": " + error.message;
    return error;
  }

  Error explained(Error given) override {
    Error error = of_machine(std::move(given));
    if (error.code == "daemon_too_old" || error.code == "client_too_old") {
      error.hint = "install the same version of luzia on both; there, luzia daemon restart starts it";
    } else if (error.code == "connection_lost") {
      if (const std::string words = last_line_of(said()); !words.empty()) error.message += " (" + words + ")";
    } else {
      met_ = false;  // it talks nonsense, which is no mistake of ours
      error.kind = ErrorKind::trouble;
      error.hint = "luzia machine check " + to_.shown() + " says which luzia is there";
    }
    return error;
  }

  /// Why it ended, or closed its output, without a greeting. `printed`: the first other line.
  Error why_it_ended(const std::string& printed) {
    const int code = exit_code();
    const std::string all = said();
    if (code == kSshFailed) return ssh_error(all);
    if (code == kNotFound || code == kNotExecutable) {
      return named("machine_without_luzia", "there is no luzia on its PATH",
                   "install luzia there; ssh runs commands with a PATH of its own: ssh " + address() +
                       " 'echo $PATH'");
    }
    const std::string words = !printed.empty() ? printed : last_line_of(all);
    if (code == static_cast<int>(ErrorKind::usage)) {
      return named("machine_too_old",
                   "its luzia does not know luzia proxy" + (words.empty() ? "" : ": " + words),
                   "install the same version of luzia there");
    }
    return named("machine_odd",
                 "luzia proxy did not answer there" + (words.empty() ? "" : "; it says: " + words),
                 "try it: ssh " + address() + " luzia proxy");
  }

  /// Of a program that has closed its output; -1: a signal ended it, or it stays.
  int exit_code() {
    wait_for_end(kUntilItExits);
    return status_ && WIFEXITED(*status_) ? WEXITSTATUS(*status_) : -1;
  }

  Error named(const char* code, const std::string& what, std::string hint,
              ErrorKind kind = ErrorKind::trouble) const {
    return Error{kind, code, "machine " + to_.shown() + ": " + what, std::move(hint)};
  }

  Error ssh_error(const std::string& all) const {
    const std::string words = last_line_of(all);
    if (all.find("Host key verification failed") != std::string::npos) {
      const bool changed = all.find("HAS CHANGED") != std::string::npos;
      return named(
          "machine_unknown",
          changed ? "its host key has changed: it may be another machine" : "its host key is unknown",
          changed ? "if you know why, remove the old one: ssh-keygen -R; else ask who runs it"
                  : "connect once by hand and check the key: ssh " + address());
    }
    if (all.find("Permission denied") != std::string::npos) {
      return named("machine_denied", "it accepts none of your keys (" + words + ")",
                   "this must work without a password: ssh " + address() + " true; ssh-copy-id " + address() +
                       " copies a key there",
                   ErrorKind::refused);
    }
    return named("machine_unreachable", "ssh cannot reach it" + (words.empty() ? "" : ": " + words),
                 "try it: ssh " + address() + " true");
  }

 private:
  std::string address() const {
    return (to_.port == 0 ? "" : "-p " + std::to_string(to_.port) + " ") + to_.destination;
  }

  void wait_for_end(milliseconds most) {
    const auto deadline = Clock::now() + most;
    while (!ended() && Clock::now() < deadline) {
      ::poll(nullptr, 0, static_cast<int>(kLookAtExitEvery.count()));
    }
  }

  /// Whether it has exited.
  bool ended() {
    if (status_) return true;
    int status = 0;
    const pid_t found = ::waitpid(pid_, &status, WNOHANG);
    if (found == pid_) status_ = status;
    if (found < 0 && errno == ECHILD) status_ = kSshFailed << 8;  // someone else has reaped it
    return status_.has_value();
  }

  /// What it and the other side have printed on standard error, as far as it was read.
  const std::string& said() {
    std::array<char, 4096> bytes;
    while (said_text_.size() < kMostSaidBytes) {
      const ssize_t count = ::read(said_.get(), bytes.data(), bytes.size());
      if (count <= 0) break;
      said_text_.append(bytes.data(), static_cast<std::size_t>(count));
    }
    return said_text_;
  }

  SshRoute to_;
  pid_t pid_;
  Descriptor said_;  // nonblocking
  std::string said_text_;
  std::optional<int> status_;  // of wait(2)
  bool met_ = false;
};

/// Without our own variables: they name places of this machine, and a job's credential.
std::vector<std::string> environment_of_ssh() {
  std::vector<std::string> kept;
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (!std::string_view(*entry).starts_with("LUZIA_")) kept.emplace_back(*entry);
  }
  return kept;
}

/// The file actions of a new program, freed with their owner.
class ProgramFiles {
 public:
  ProgramFiles(int in, int out, int error) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_adddup2(&actions_, in, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, out, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, error, STDERR_FILENO);
  }
  ~ProgramFiles() { ::posix_spawn_file_actions_destroy(&actions_); }
  ProgramFiles(const ProgramFiles&) = delete;
  ProgramFiles& operator=(const ProgramFiles&) = delete;
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

Result<pid_t> spawn_ssh(const SshRoute& to, std::vector<std::string> words, const ProgramFiles& files) {
  std::vector<std::string> environment = environment_of_ssh();
  const std::vector<char*> word_pointers = exec_pointers(words),
                           environment_pointers = exec_pointers(environment);
  const SpawnAttributes attributes;
  pid_t pid = 0;
  const int trouble = ::posix_spawnp(&pid, "ssh", files.get(), attributes.get(), word_pointers.data(),
                                     environment_pointers.data());
  if (trouble == ENOENT) {
    return fail(ErrorKind::trouble, "no_ssh", "reaching machine " + to.shown() + ": there is no program ssh",
                "install it: apt-get install openssh-client");
  }
  if (trouble != 0) return fail_errno(trouble, "no_ssh", "starting ssh");
  return pid;
}

struct SshStarted {
  Descriptor connection;
  std::unique_ptr<Ssh> ssh;
};

Result<SshStarted> start_ssh(const SshRoute& to, milliseconds limit, WhenFarAbsent when_absent) {
  int ends[2], said[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return fail_errno(errno, "no_ssh", "starting ssh");
  }
  Descriptor ours(ends[0]);
  const Descriptor theirs(ends[1]);
  // A message that nobody reads must not stop ssh.
  if (::pipe2(said, O_CLOEXEC | O_NONBLOCK) != 0) return fail_errno(errno, "no_ssh", "starting ssh");
  Descriptor our_said(said[0]);
  const Descriptor their_said(said[1]);
  const auto pid = LUZIA_TRY(spawn_ssh(to, ssh_words(to, limit, when_absent),
                                       ProgramFiles(theirs.get(), theirs.get(), their_said.get())));
  return SshStarted{std::move(ours), std::make_unique<Ssh>(to, pid, std::move(our_said))};
}

/// The command line of ssh that runs this shell command there.
std::vector<std::string> words_of_ssh(const SshRoute& to, milliseconds limit, std::string command) {
  std::vector<std::string> words = {"ssh", "-T", "-a", "-x"};
  const auto option = [&words](std::string text) { words.insert(words.end(), {"-o", std::move(text)}); };
  option("BatchMode=yes");            // never asks
  option("RemoteCommand=none");       // one in the user's configuration excludes ours
  option("ClearAllForwardings=yes");  // those are for people's sessions
  option("ServerAliveInterval=15");   // so that a dead network ends the connection, ...
  option("ServerAliveCountMax=3");    // ... after 45 s
  if (limit.count() > 0) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(limit).count();
    option("ConnectTimeout=" + std::to_string(seconds));
  }
  if (to.port != 0) words.insert(words.end(), {"-p", std::to_string(to.port)});
  words.insert(words.end(), {"--", to.destination, std::move(command)});
  return words;
}

/// Reads the next line, and nothing behind it: frames may follow. Waits as the vigil allows.
class GreetingReader {
 public:
  GreetingReader(int fd, Vigil& vigil) : fd_(fd), vigil_(vigil) {}

  /// nullopt: the other side has closed the connection. `machine_odd`: it says too much.
  Result<std::optional<ProxyGreeting>> read(const Ssh& ssh) {
    std::string line;
    while (true) {
      std::array<char, kMostGreetingBytes> bytes;
      const ssize_t seen = ::recv(fd_, bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);
      if (seen == 0) return std::optional<ProxyGreeting>();
      if (seen < 0) {
        if (errno != EAGAIN && errno != EINTR) return std::optional<ProxyGreeting>();
        LUZIA_TRY(wait());
        continue;
      }
      const std::string_view text(bytes.data(), static_cast<std::size_t>(seen));
      const std::size_t end = text.find('\n'), taken = end == text.npos ? text.size() : end + 1;
      if (::recv(fd_, bytes.data(), taken, MSG_DONTWAIT) != static_cast<ssize_t>(taken)) continue;
      all_ += taken;
      if (all_ > kMostSaidBytes) {
        return tl::unexpected(ssh.named("machine_odd",
                                        "it prints other things instead of luzia's greeting: " + printed(),
                                        "a command in its shell's start files may print them"));
      }
      if (line.size() < kMostGreetingBytes) line += text.substr(0, std::min(end, text.size()));
      if (end == text.npos) continue;
      if (auto greeting = parse_greeting(line)) return greeting;
      if (first_.empty()) first_ = shortened(line);
      line.clear();
    }
  }

  /// The first line that was not the greeting; empty: none.
  const std::string& printed() const { return first_; }

 private:
  Status wait() {
    const auto slice = vigil_.slice();
    pollfd waiting{fd_, POLLIN, 0};
    const auto began = Clock::now();
    ::poll(&waiting, 1, static_cast<int>(std::min<std::int64_t>(slice.count(), 1 << 30)));
    const auto slept = std::chrono::duration_cast<milliseconds>(Clock::now() - began);
    const auto next = vigil_.waited(slice.count() < 0 ? slept : std::min(slept, slice));
    return next ? Status() : tl::unexpected(next.error());
  }

  int fd_;
  Vigil& vigil_;
  std::size_t all_ = 0;
  std::string first_;
};

/// Keeps the end of what the program prints.
Status read_until_closed(int fd, const SshRunLimits& limits, const Ssh& ssh, std::string& said) {
  const bool is_limited = limits.time.count() > 0;
  const auto deadline = Clock::now() + limits.time;
  std::array<char, 4'096> bytes;
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
    if (is_limited && left <= 0) {
      const TimeUs limit = std::chrono::microseconds(limits.time).count();
      return tl::unexpected(
          ssh.named("machine_slow", "it has not ended after " + format_duration(limit), ""));
    }
    std::array<pollfd, 2> waiting = {pollfd{fd, POLLIN, 0}, pollfd{limits.stop_fd, POLLIN, 0}};
    ::poll(waiting.data(), waiting.size(),
           is_limited ? static_cast<int>(std::min<std::int64_t>(left, 1 << 30)) : -1);
    if (waiting[1].revents != 0) return tl::unexpected(ssh.named("interrupted", "stopped", ""));
    if (waiting[0].revents == 0) continue;
    const ssize_t count = ::read(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return {};
    said.append(bytes.data(), static_cast<std::size_t>(count));
    if (said.size() > 2 * kMostSaidBytes) said.erase(0, said.size() - kMostSaidBytes);
  }
}

/// Only what a signal handler may do.
void end_with_children(int) {
  std::array<char, 512> text;
  const int fd = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  const ssize_t count = fd < 0 ? 0 : ::read(fd, text.data(), text.size());
  pid_t pid = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(std::max<ssize_t>(count, 0)); ++i) {
    if (text[i] >= '0' && text[i] <= '9') {
      pid = pid * 10 + (text[i] - '0');
      continue;
    }
    if (pid > 0) ::kill(-pid, SIGTERM);
    pid = 0;
  }
  ::_exit(0);
}

}  // namespace

SshEndsOnSigterm::SshEndsOnSigterm() {
  ::signal(SIGTERM, end_with_children);
}
SshEndsOnSigterm::~SshEndsOnSigterm() {
  ::signal(SIGTERM, SIG_DFL);
}

std::vector<std::string> ssh_words(const SshRoute& to, milliseconds limit, WhenFarAbsent when_absent) {
  std::string command = "luzia";
  if (!to.store.empty()) command += " --store " + shell_quote(to.store);
  command += when_absent == WhenFarAbsent::start ? " proxy" : " proxy --no-start";
  return words_of_ssh(to, limit, std::move(command));
}

Result<SshRun> run_by_ssh(const SshRoute& to, const std::string& command, int input,
                          const SshRunLimits& limits) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno(errno, "no_ssh", "starting ssh");
  const Descriptor ours(ends[0]);
  Descriptor theirs(ends[1]);
  const auto pid = LUZIA_TRY(spawn_ssh(to, words_of_ssh(to, kUsualPatience, command),
                                       ProgramFiles(input, theirs.get(), theirs.get())));
  theirs.reset();
  Ssh ssh(to, pid, Descriptor());
  SshRun run;
  LUZIA_TRY(read_until_closed(ours.get(), limits, ssh, run.said));
  run.code = ssh.exit_code();
  if (run.code == kSshFailed || run.code < 0) return tl::unexpected(ssh.ssh_error(run.said));
  return run;
}

Result<FarDaemon> connect_by_ssh(const SshRoute& to, SilenceLimit silence, WhenFarAbsent when_absent) {
  silence.machine = to.shown();
  const auto ssh_started = Clock::now();
  auto [connection, ssh] = LUZIA_TRY(start_ssh(to, silence.limit, when_absent));
  Vigil vigil(silence);
  vigil.owed();
  const TimeUs began = clock_now();
  GreetingReader reader(connection.get(), vigil);
  auto greeting = LUZIA_TRY(reader.read(*ssh));
  if (!greeting) {
    connection.reset();
    return tl::unexpected(ssh->why_it_ended(reader.printed()));
  }
  const TimeUs ended = clock_now();
  // The greeting was written between the two; at best at the end.
  const TimeUs ahead = std::clamp<TimeUs>(0, greeting->clock - ended, greeting->clock - began);
  ssh->meet();
  if (greeting->failed) return tl::unexpected(ssh->of_machine(*greeting->failed));
  silence.reached = true;
  if (silence.counts_connecting) {
    const auto took = std::chrono::duration_cast<milliseconds>(Clock::now() - ssh_started);
    silence.limit -= std::min(took, silence.limit / 2);
  }
  return FarDaemon{Client::over(std::move(connection), std::move(silence), std::move(ssh)),
                   std::move(*greeting), std::chrono::microseconds(ahead)};
}

}  // namespace luzia
