#include "tools/luzia-run/attempt.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "adapters/launcher/run_record.h"
#include "tools/luzia-run/descendants.h"
#include "tools/luzia-run/job_files.h"
#include "tools/luzia-run/preflight.h"
#include "tools/luzia-run/run_files.h"
#include "tools/luzia-run/start.h"

namespace luzia::run {
namespace {

// What the exit line says of an attempt that never ran, as shells number it.
constexpr int kNotRunnable = 126;
constexpr int kNotFound = 127;

// One line to the launcher, then the end of the pipe. Nobody may be left to read it: that changes nothing.
void report(const Options& options, const TextView& line) {
  if (options.report_fd < 0) return;
  if (::write(options.report_fd, line.c_str(), line.size()) < 0) errno = 0;
  ::close(options.report_fd);
}

void report_word(const Options& options, const char* word) {
  Text<16> line;
  line.add("%s\n", word);
  report(options, line);
}

void report_start(const Options& options, const Started& agent, const RunFiles& run_files) {
  Text<128> line;
  line.add("started %d %llu %d %llu\n", static_cast<int>(agent.pid), agent.start,
           static_cast<int>(::getpid()), run_files.runner_start());
  report(options, line);
}

void report_failure(const Options& options, TextView& problem) {
  make_line(problem.bytes());
  Text<run_record::kStartErrorMax + 16> line;
  line.add("failed %s\n", problem.c_str());
  report(options, line);
}

std::uint64_t clock_us(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(now.tv_nsec) / 1000;
}

// As shells number it.
int shell_code(const Ending& ending) {
  return ending.has_exit_code ? ending.exit_code : 128 + ending.signal;
}

// The order is a promise: whoever sees the exit line, or a size that includes it, can see the exit record.
void conclude(const Options& options, RunFiles& run_files, const JobFiles& job_files, Ending& ending,
              int exit_line_code) {
  ending.ended_us = static_cast<std::int64_t>(clock_us(CLOCK_REALTIME));
  ending.output_bytes = job_files.output_size();
  run_files.commit_exit(options, ending);
  job_files.write_exit_json(options, ending);
  job_files.append_exit_line(exit_line_code);
}

int never_started(const Options& options, RunFiles& run_files, const JobFiles& job_files, TextView& problem,
                  int signal, int exit_line_code) {
  make_line(problem.bytes());
  Ending ending;
  ending.signal = signal;
  ending.start_error = problem.c_str();
  conclude(options, run_files, job_files, ending, exit_line_code);
  report_word(options, "ended");
  return run_record::kExitDone;
}

void watch_to_the_end(Watched& watched) {
  while (!watched.ended) {
    switch (next_signal(/*deadline_ms=*/0)) {
      case SIGTERM:
        terminate_all(watched);
        break;
      case SIGUSR1:
        kill_all(watched);
        break;
      default:  // SIGCHLD, and those that mean nothing to us
        break;
    }
    reap(watched);
  }
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

int run_agent(const Options& options, RunFiles& run_files, const JobFiles& job_files, TextView& problem) {
  const std::uint64_t begin_us = clock_us(CLOCK_BOOTTIME);
  const Started agent = start_child(options,
                                    {.command = options.command,
                                     .input = job_files.input(),
                                     .output = job_files.output(),
                                     .claim = &run_files},
                                    problem);
  if (agent.pid < 0) {
    return never_started(options, run_files, job_files, problem, 0,
                         agent.program_missing ? kNotFound : kNotRunnable);
  }
  report_start(options, agent, run_files);
  job_files.write_pid(agent.pid);
  Watched watched{.pid = agent.pid};
  watch_to_the_end(watched);
  const std::uint64_t end_us = clock_us(CLOCK_BOOTTIME);
  const unsigned leftovers = watched.childless ? 0 : kill_all(watched);
  Ending ending = ending_of(watched);
  ending.wall_us = end_us - begin_us;
  ending.leftovers_killed = leftovers;
  conclude(options, run_files, job_files, ending, shell_code(ending));
  return run_record::kExitDone;
}

}  // namespace

int run_attempt(const Options& options) {
  block_signals();
  RunFiles run_files;
  Text<run_record::kStartErrorMax> problem;
  switch (run_files.claim(options, problem)) {
    case RunFiles::Claimed::yes:
      break;
    case RunFiles::Claimed::by_another:
      report_word(options, "claimed");
      return run_record::kExitClaimed;
    case RunFiles::Claimed::failed:
      report_failure(options, problem);
      return run_record::kExitNothingStarted;
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  JobFiles job_files;
  if (!job_files.open(options, problem)) {
    return never_started(options, run_files, job_files, problem, 0, kNotRunnable);
  }
  int stop_signal = 0;
  if (run_preflight(options, job_files, problem, stop_signal) != Preflight::passed) {
    const int code = stop_signal == 0 ? kNotRunnable : 128 + stop_signal;
    return never_started(options, run_files, job_files, problem, stop_signal, code);
  }
  return run_agent(options, run_files, job_files, problem);
}

}  // namespace luzia::run
