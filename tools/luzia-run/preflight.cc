#include "tools/luzia-run/preflight.h"

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
};

Preflight fail_check(const Check& check, TextView& problem, const char* how, unsigned long long number,
                     const char* unit = "") {
  problem.add("preflight check '%.500s' failed: %s %llu%s", check.command, how, number, unit);
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
  const std::uint64_t limit_ms = check.options.preflight_timeout_ms;
  const std::uint64_t deadline = monotonic_ms() + limit_ms;
  for (;;) {
    const int signal = next_signal(deadline);
    reap(watched);
    if (watched.ended) return judge(check, watched.status, problem);
    if (signal == SIGTERM || signal == SIGUSR1) {
      stop_signal = signal == SIGTERM ? SIGTERM : SIGKILL;
      problem.add("stopped during preflight check '%.500s'", check.command);
      return Preflight::stopped;
    }
    if (signal == 0) return fail_check(check, problem, "timed out after", limit_ms, " ms");
  }
}

}  // namespace

Preflight run_preflight(const Options& options, const JobFiles& files, TextView& problem, int& stop_signal) {
  if (options.preflight_count == 0) return Preflight::passed;
  const int input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int log = input < 0 ? -1 : files.open_preflight_log(problem);
  Preflight result = log < 0 ? Preflight::failed : Preflight::passed;
  for (std::size_t i = 0; i < options.preflight_count && result == Preflight::passed; ++i) {
    result = run_check({options, options.preflight[i], input, log}, problem, stop_signal);
  }
  if (log >= 0) ::close(log);
  if (input >= 0) ::close(input);
  return result;
}

}  // namespace luzia::run
