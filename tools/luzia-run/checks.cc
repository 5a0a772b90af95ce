#include "tools/luzia-run/checks.h"

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
  const CheckRun& run;
  char* command;
  int input;
  off_t log_begin = 0;  // start of this check's output
};

constexpr std::size_t kMostSaid = 300;

// What a check is called: the comment that it begins with, else the command.
struct CheckName {
  const char* text;
  int size;  // at most 500 bytes
};

CheckName name_of(const char* command) {
  const bool has_comment = ::strncmp(command, "# ", 2) == 0 && command[2] != '\0' && command[2] != '\n';
  const char* const text = has_comment ? command + 2 : command;
  const std::size_t size = has_comment ? ::strcspn(text, "\n") : ::strlen(text);
  return {text, static_cast<int>(size < 500 ? size : 500)};
}

// Adds the check's last line of output, which usually says why.
void add_last_line(const Check& check, TextView& problem) {
  if (check.options.secrets_fd >= 0) return;  // the line may show them, and goes into files and the log
  Text<64> path;                              // the log may be open for writing only
  path.add("/proc/self/fd/%d", check.run.log);
  const int log = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (log < 0) return;
  char bytes[kMostSaid + 1];
  const off_t end = ::lseek(log, 0, SEEK_END);
  const off_t room = static_cast<off_t>(kMostSaid);
  const off_t from = end - check.log_begin > room ? end - room : check.log_begin;
  ssize_t size = end > from ? ::pread(log, bytes, static_cast<std::size_t>(end - from), from) : 0;
  ::close(log);
  while (size > 0 && (bytes[size - 1] == '\n' || bytes[size - 1] == '\0')) --size;
  if (size <= 0) return;
  bytes[size] = '\0';
  const char* last = ::strrchr(bytes, '\n');
  problem.add(": %s", last == nullptr ? bytes : last + 1);
}

Checked fail_check(const Check& check, TextView& problem, const char* how, unsigned long long number,
                   const char* unit = "") {
  const CheckName name = name_of(check.command);
  problem.add("%s '%.*s' failed: %s %llu%s", check.run.kind, name.size, name.text, how, number, unit);
  add_last_line(check, problem);
  return Checked::failed;
}

Checked judge(const Check& check, int status, TextView& problem) {
  if (WIFSIGNALED(status)) {
    return fail_check(check, problem, "killed by signal", static_cast<unsigned>(WTERMSIG(status)));
  }
  if (WEXITSTATUS(status) != 0) {
    return fail_check(check, problem, "exit", static_cast<unsigned>(WEXITSTATUS(status)));
  }
  return Checked::passed;
}

// Stores the stop signal: TERM may be followed by USR1, which kills.
void note_stop(int signal, int& stop_signal) {
  if (signal == SIGTERM && stop_signal == 0) stop_signal = SIGTERM;
  if (signal == SIGUSR1) stop_signal = SIGKILL;
}

Checked stop_check(const Check& check, TextView& problem) {
  const CheckName name = name_of(check.command);
  problem.add("stopped during %s '%.*s'", check.run.kind, name.size, name.text);
  return Checked::stopped;
}

// Stops what runs until the job goes on or is to end; returns that signal.
int pause_check(const Watched& watched) {
  signal_all(watched, SIGSTOP);
  for (;;) {
    const int signal = next_signal(/*deadline_ms=*/0);
    if (signal == SIGCONT) signal_all(watched, SIGCONT);
    if (signal == SIGCONT || signal == SIGTERM || signal == SIGUSR1) return signal;
  }
}

// Waits for the check's end or timeout. A stop counts even if the check ended at the same moment. After a
// pause it has its whole time again.
Checked watch_check(const Check& check, Watched& watched, TextView& problem, int& stop_signal) {
  const std::uint64_t limit_ms = check.run.list.timeout_ms;
  std::uint64_t deadline = monotonic_ms() + limit_ms;
  for (;;) {
    int signal = next_signal(deadline);
    if (signal == SIGTSTP) {
      signal = pause_check(watched);
      deadline = monotonic_ms() + limit_ms;
    }
    reap(watched);
    note_stop(signal, stop_signal);
    const bool over = watched.ended || signal == 0;
    if (stop_signal == SIGKILL || (over && stop_signal != 0)) return stop_check(check, problem);
    if (watched.ended) return judge(check, watched.status, problem);
    if (signal == 0) return fail_check(check, problem, "timed out after", limit_ms, " ms");
    if (signal == SIGTERM) signal_all(watched, SIGTERM);
  }
}

Checked run_check(const Check& check, TextView& problem, int& stop_signal) {
  char shell[] = "/bin/sh";
  char option[] = "-c";
  char* command[] = {shell, option, check.command, nullptr};
  Text<run_record::kStartErrorMax> reason;
  const Started started = start_child(
      check.options,
      {.sandbox = check.run.sandbox, .command = command, .input = check.input, .output = check.run.log},
      reason);
  if (started.pid < 0) {
    const CheckName name = name_of(check.command);
    problem.add("%s '%.*s' failed: %s", check.run.kind, name.size < 300 ? name.size : 300, name.text,
                reason.c_str());
    return Checked::failed;
  }
  Watched watched{.sandbox = check.run.sandbox, .pid = started.pid};
  return watch_check(check, watched, problem, stop_signal);
}

/// Ignores errors: on a full disk the check's own result says more.
void announce(const Check& check) {
  Text<600> line;
  const CheckName name = name_of(check.command);
  line.add(" check: %.*s", name.size, name.text);
  make_line(line.bytes());
  *line.bytes() = '\n';  // what stands before may have no end of line
  line.add_char('\n');
  if (::write(check.run.log, line.c_str(), line.size()) < 0) errno = 0;
}

Checked run_each(const Options& options, const CheckRun& run, int input, TextView& problem,
                 int& stop_signal) {
  for (std::size_t i = 0; i < run.list.count; ++i) {
    Check check{options, run, run.list.commands[i], input};
    if (run.announce) announce(check);
    check.log_begin = ::lseek(run.log, 0, SEEK_END);
    const Checked result = run_check(check, problem, stop_signal);
    if (result != Checked::passed) return result;
  }
  return Checked::passed;
}

}  // namespace

Checked run_checks(const Options& options, const CheckRun& run, TextView& problem, int& stop_signal) {
  if (run.list.count > 0) {
    const int input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (input < 0) problem.add("cannot open /dev/null for the %ss: %s", run.kind, ::strerror(errno));
    const Checked result = input < 0 ? Checked::failed : run_each(options, run, input, problem, stop_signal);
    if (input >= 0) ::close(input);
    if (result != Checked::passed) return result;
  }
  note_stop(take_stop_signal(), stop_signal);
  if (stop_signal == 0) return Checked::passed;
  problem.add("stopped beside the %ss", run.kind);
  return Checked::stopped;
}

}  // namespace luzia::run
