#include "tools/luzia-run/attempt.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "adapters/launcher/run_record.h"
#include "tools/luzia-run/cgroup.h"
#include "tools/luzia-run/checks.h"
#include "tools/luzia-run/descendants.h"
#include "tools/luzia-run/job_files.h"
#include "tools/luzia-run/run_files.h"
#include "tools/luzia-run/sandbox.h"
#include "tools/luzia-run/start.h"

namespace luzia::run {
namespace {

// The exit line's code for an attempt that never ran, by the convention of shells.
constexpr int kNotRunnable = 126;
constexpr int kNotFound = 127;
constexpr std::uint64_t kOrphanLookMs = 20;

// Writes one line to the launcher and closes the pipe. Ignores errors: the reader may be gone.
void report(int& report_fd, const TextView& line) {
  if (report_fd < 0) return;
  if (::write(report_fd, line.c_str(), line.size()) < 0) errno = 0;
  ::close(report_fd);
  report_fd = -1;
}

std::uint64_t clock_us(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(now.tv_nsec) / 1000;
}

// The exit code by the convention of shells.
/// The code of the exit line: as Python has it, a signal is a negative number.
int line_code(const Ending& ending) {
  return ending.has_exit_code ? ending.exit_code : -ending.signal;
}

// After a request to end, waits for all descendants, even if the first process has ended: a shell dies at
// once of the signal while its command still saves its work. The sender of the request sends USR1 when the
// grace period is over. Returns whether there was such a request.
bool watch_to_the_end(const Options& options, Watched& watched) {
  bool asked_to_end = false;
  while (!watched.ended || (asked_to_end && !watched.childless)) {
    // The end of an orphan in a sandbox is not signaled to us.
    const bool looks = watched.ended && watched.sandbox.is_open();
    switch (next_signal(looks ? monotonic_ms() + kOrphanLookMs : 0)) {
      case SIGTERM:
        asked_to_end = true;
        signal_all(watched, SIGTERM);
        break;
      case SIGUSR1:
        reap(watched);
        if (watched.ended)
          return true;  // processes left are killed and counted, like all that outlive an agent
        if (options.cgroup != nullptr) kill_cgroup(options.cgroup);
        kill_all(watched);
        break;
      default:  // SIGCHLD, and signals that we ignore
        break;
    }
    reap(watched);
  }
  return asked_to_end;
}

Ending ending_of(const Watched& watched) {
  Ending ending;
  ending.has_exit_code = WIFEXITED(watched.status);
  if (WIFEXITED(watched.status)) ending.exit_code = WEXITSTATUS(watched.status);
  if (WIFSIGNALED(watched.status)) {
    ending.signal = WTERMSIG(watched.status);
    ending.core_dumped = WCOREDUMP(watched.status);
  }
  ending.user_us = watched.user_us;
  ending.system_us = watched.system_us;
  ending.max_rss_kib = watched.max_rss_kib;
  return ending;
}

class Attempt {
 public:
  explicit Attempt(const Options& options) : options_(options), report_fd_(options.report_fd) {}
  int run();

 private:
  void report_word(const char* word);
  void report_start(const Started& agent);
  void run_preflight_and_agent();
  Checked run_preflight(int& stop_signal);
  bool guard();
  void run_agent();
  void follow_agent(const Started& agent, std::uint64_t begin_us);
  void verify(Ending& ending);
  void never_started(Ending ending, int exit_line_code);
  void conclude(Ending& ending, int exit_line_code);

  const Options& options_;
  int report_fd_;  // -1 after the report to the launcher
  RunFiles run_files_;
  JobFiles job_files_;
  Sandbox sandbox_;
  Text<run_record::kStartErrorMax> problem_;
};

void Attempt::report_word(const char* word) {
  Text<16> line;
  line.add("%s\n", word);
  report(report_fd_, line);
}

void Attempt::report_start(const Started& agent) {
  Text<128> line;
  line.add("started %d %llu %d %llu\n", static_cast<int>(agent.pid), agent.start,
           static_cast<int>(::getpid()), run_files_.runner_start());
  report(report_fd_, line);
}

int Attempt::run() {
  switch (run_files_.claim(options_, problem_)) {
    case RunFiles::Claimed::yes:
      break;
    case RunFiles::Claimed::by_another:
      report_word("claimed");
      return run_record::kExitClaimed;
    case RunFiles::Claimed::no_room:
      report_failure(options_, problem_, run_record::kNoRoom);
      return run_record::kExitNothingStarted;
    case RunFiles::Claimed::failed:
      report_failure(options_, problem_);
      return run_record::kExitNothingStarted;
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  const bool opened = job_files_.open(options_, problem_);
  if (opened) job_files_.write_claim(options_, run_files_.runner_start(), 0, 0);
  const int hosts = options_.hosts.count == 0 ? -1 : run_files_.open_hosts();
  if (opened && sandbox_.open(options_, hosts, job_files_.output(), problem_)) {
    run_preflight_and_agent();
  } else {
    never_started({}, kNotRunnable);
  }
  return run_record::kExitDone;
}

Checked Attempt::run_preflight(int& stop_signal) {
  const bool has_checks = options_.preflight.count > 0;
  const int log = has_checks ? job_files_.open_preflight_log(problem_) : -1;
  if (has_checks && log < 0) return Checked::failed;
  const Checked result =
      run_checks(options_, {sandbox_, "preflight check", options_.preflight, log}, problem_, stop_signal);
  if (log >= 0) ::close(log);
  return result;
}

// From now on the agent's project changes no more. What checks have left running could still change it.
bool Attempt::guard() {
  if (options_.guarded.count == 0) return true;
  Watched left_by_checks{.sandbox = sandbox_};
  kill_all(left_by_checks);
  if (left_by_checks.childless) return sandbox_.guard(problem_);
  problem_.add("sandbox_unavailable: a process that a preflight check has left does not end");
  return false;
}

// Processes that a passed check leaves running are meant for the agent and live until the attempt's end,
// unless it may only read what they may write.
void Attempt::run_preflight_and_agent() {
  // Checks may take minutes, so report to the launcher first. The claim will name the agent.
  if (options_.preflight.count > 0) report_word("claimed");
  int stop_signal = 0;
  switch (run_preflight(stop_signal)) {
    case Checked::passed:
      return guard() ? run_agent() : never_started({}, kNotRunnable);
    case Checked::failed:
      return never_started({.preflight_failed = true}, kNotRunnable);
    case Checked::stopped:
      return never_started({.signal = stop_signal}, -stop_signal);
  }
}

void Attempt::run_agent() {
  const std::uint64_t begin_us = clock_us(CLOCK_MONOTONIC);
  const Started agent = start_child(options_,
                                    {.sandbox = sandbox_,
                                     .command = options_.command,
                                     .input = job_files_.input(),
                                     .output = job_files_.output(),
                                     .claim = &run_files_},
                                    problem_);
  if (agent.pid < 0) return never_started({}, agent.program_missing ? kNotFound : kNotRunnable);
  follow_agent(agent, begin_us);
}

void Attempt::follow_agent(const Started& agent, std::uint64_t begin_us) {
  report_start(agent);
  job_files_.write_claim(options_, run_files_.runner_start(), agent.pid, agent.start);
  job_files_.write_pid(agent.pid);
  Watched watched{.sandbox = sandbox_, .pid = agent.pid};
  const bool asked_to_end = watch_to_the_end(options_, watched);
  std::uint64_t end_us = clock_us(CLOCK_MONOTONIC);
  const unsigned leftovers = watched.childless ? 0 : kill_all(watched);
  Ending ending = ending_of(watched);
  ending.leftovers_killed = leftovers;
  if (options_.verify.count > 0 && ending.has_exit_code && ending.exit_code == 0 && !asked_to_end) {
    verify(ending);
    end_us = clock_us(CLOCK_MONOTONIC);
  }
  ending.wall_us = end_us - begin_us;
  conclude(ending, line_code(ending));
}

// A verification that is stopped proves nothing, and refutes nothing.
void Attempt::verify(Ending& ending) {
  int stop_signal = 0;
  ending.checks_from = job_files_.output_size();
  run_files_.record_checks(ending.checks_from);
  switch (run_checks(options_, {sandbox_, "check", options_.verify, job_files_.output(), true}, problem_,
                     stop_signal)) {
    case Checked::passed:
      ending.proof = Ending::Proof::proved;
      break;
    case Checked::failed:
      ending.proof = Ending::Proof::refuted;
      break;
    case Checked::stopped:
      break;
  }
  Watched left_by_checks{.sandbox = sandbox_};
  kill_all(left_by_checks);
  make_line(problem_.bytes());
  ending.check_error = problem_.c_str();
}

void Attempt::never_started(Ending ending, int exit_line_code) {
  Watched left_by_checks{.sandbox = sandbox_};
  kill_all(left_by_checks);
  make_line(problem_.bytes());
  ending.start_error = problem_.c_str();
  conclude(ending, exit_line_code);
  report_word("ended");
}

// This order is guaranteed: a reader that sees the exit line, or a size that includes it, can read the exit
// record.
void Attempt::conclude(Ending& ending, int exit_line_code) {
  ending.ended_us = static_cast<std::int64_t>(clock_us(CLOCK_REALTIME));
  sandbox_.close_network();
  ending.output_bytes = job_files_.output_size();
  if (options_.cgroup != nullptr) ending.reached = leave_cgroup(options_.cgroup);
  run_files_.commit_exit(options_, ending);
  job_files_.write_exit_json(options_, ending);
  job_files_.append_exit_line(exit_line_code);
}

}  // namespace

void report_failure(const Options& options, TextView& problem, const char* kind) {
  make_line(problem.bytes());
  Text<run_record::kStartErrorMax + 32> line;
  line.add("failed %s%s\n", kind, problem.c_str());
  int report_fd = options.report_fd;
  report(report_fd, line);
}

int run_attempt(const Options& options) {
  block_signals();
  return Attempt(options).run();
}

}  // namespace luzia::run
