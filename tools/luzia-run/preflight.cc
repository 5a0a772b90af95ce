#include "tools/luzia-run/preflight.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "adapters/launcher/run_record.h"
#include "tools/luzia-run/descendants.h"
#include "tools/luzia-run/start.h"

namespace luzia::run {
namespace {

struct Check {
  const Options& options;
  char* command;
  int input;
  int log;
  off_t log_begin = 0;  // start of this check's output
};

constexpr std::size_t kMostSaid = 300;

// Adds the check's last line of output, which usually says why.
void add_last_line(const Check& check, TextView& problem) {
  char bytes[kMostSaid + 1];
  const off_t end = ::lseek(check.log, 0, SEEK_END);
  const off_t room = static_cast<off_t>(kMostSaid);
  const off_t from = end - check.log_begin > room ? end - room : check.log_begin;
  ssize_t size = end > from ? ::pread(check.log, bytes, static_cast<std::size_t>(end - from), from) : 0;
  while (size > 0 && (bytes[size - 1] == '\n' || bytes[size - 1] == '\0')) --size;
  if (size <= 0) return;
  bytes[size] = '\0';
  const char* last = ::strrchr(bytes, '\n');
  problem.add(": %s", last == nullptr ? bytes : last + 1);
}

Preflight fail_check(const Check& check, TextView& problem, const char* how, unsigned long long number,
                     const char* unit = "") {
  problem.add("preflight check '%.500s' failed: %s %llu%s", check.command, how, number, unit);
  add_last_line(check, problem);
  return Preflight::failed;
}

Preflight judge(const Check& check, int status, TextView& problem) {
  if (WIFSIGNALED(status)) {
    return fail_check(check, problem, "killed by signal", static_cast<unsigned>(WTERMSIG(status)));
  }
  if (WEXITSTATUS(status) != 0) {
    return fail_check(check, problem, "exit", static_cast<unsigned>(WEXITSTATUS(status)));
  }
  return Preflight::passed;
}

// Stores the stop signal: TERM may be followed by USR1, which kills.
void note_stop(int signal, int& stop_signal) {
  if (signal == SIGTERM && stop_signal == 0) stop_signal = SIGTERM;
  if (signal == SIGUSR1) stop_signal = SIGKILL;
}

Preflight stop_check(const Check& check, TextView& problem) {
  problem.add("stopped during preflight check '%.500s'", check.command);
  return Preflight::stopped;
}

// Waits for the check's end or timeout. A stop counts even if the check ended at the same moment.
Preflight watch_check(const Check& check, Watched& watched, TextView& problem, int& stop_signal) {
  const std::uint64_t limit_ms = check.options.preflight_timeout_ms;
  const std::uint64_t deadline = monotonic_ms() + limit_ms;
  for (;;) {
    const int signal = next_signal(deadline);
    reap(watched);
    note_stop(signal, stop_signal);
    const bool over = watched.ended || signal == 0;
    if (stop_signal == SIGKILL || (over && stop_signal != 0)) return stop_check(check, problem);
    if (watched.ended) return judge(check, watched.status, problem);
    if (signal == 0) return fail_check(check, problem, "timed out after", limit_ms, " ms");
    if (signal == SIGTERM) terminate_all(watched);
  }
}

Preflight run_check(const Check& check, TextView& problem, int& stop_signal) {
  char shell[] = "/bin/sh";
  char option[] = "-c";
  char* command[] = {shell, option, check.command, nullptr};
  Text<run_record::kStartErrorMax> reason;
  const Started started =
      start_child(check.options, {.command = command, .input = check.input, .output = check.log}, reason);
  if (started.pid < 0) {
    problem.add("preflight check '%.300s' failed: %s", check.command, reason.c_str());
    return Preflight::failed;
  }
  Watched watched{.pid = started.pid};
  return watch_check(check, watched, problem, stop_signal);
}

Preflight run_checks(const Options& options, const JobFiles& files, TextView& problem, int& stop_signal) {
  const int input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (input < 0) problem.add("cannot open /dev/null for the preflight checks: %s", ::strerror(errno));
  const int log = input < 0 ? -1 : files.open_preflight_log(problem);
  Preflight result = log < 0 ? Preflight::failed : Preflight::passed;
  for (std::size_t i = 0; i < options.preflight_count && result == Preflight::passed; ++i) {
    result = run_check({options, options.preflight[i], input, log, ::lseek(log, 0, SEEK_END)}, problem,
                       stop_signal);
  }
  if (log >= 0) ::close(log);
  if (input >= 0) ::close(input);
  return result;
}

}  // namespace

Preflight run_preflight(const Options& options, const JobFiles& files, TextView& problem, int& stop_signal) {
  if (options.preflight_count > 0) {
    const Preflight result = run_checks(options, files, problem, stop_signal);
    if (result != Preflight::passed) return result;
  }
  note_stop(take_stop_signal(), stop_signal);
  if (stop_signal == 0) return Preflight::passed;
  problem.add("stopped before the agent started");
  return Preflight::stopped;
}

}  // namespace luzia::run
