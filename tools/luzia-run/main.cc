// luzia-run: the parent process of one attempt of a job. It outlives the daemon and is independent of it: it
// gets everything on its command line, answers through a pipe, and leaves its result in STORE/run.
//
// Reading order: options (the command line), run_files (claim and exit record), job_files (the agent's input
// and output), checks (preflight and verification), start (the agent's exec), sandbox, sandbox_view, proxy
// and privileges (what confines it), descendants (waiting and stopping), attempt (all of it together). hook
// is a separate mode: the parent of a hook's command.
//
//   claim and lock -> reserve space for the exit record -> open the job directory -> preflight checks ->
//   start the agent, which enters itself into the claim -> report -> wait -> kill what the agent left behind
//   -> checks of its work -> exit record on disk -> exit.json -> exit line in output.log
//
// Signals: on TERM it asks the agent and all its descendants to end; on USR1 it kills them. TSTP and CONT
// pause and continue checks. It ignores all others. If luzia-run itself is killed, the agent keeps running:
// the daemon then sees a free lock, and an agent in the claim. In a sandbox it ends. A check dies with it,
// and the daemon kills what the check started (kill_left_by_checks in launcher.h). Descendants are found as
// children (subreaper), so cgroups are not used. Processes that an agent started elsewhere, in a container or
// through another daemon, are not descendants and live on.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "adapters/launcher/run_record.h"
#include "tools/luzia-run/attempt.h"
#include "tools/luzia-run/hook.h"
#include "tools/luzia-run/kernel_calls.h"
#include "tools/luzia-run/options.h"
#include "tools/luzia-run/start.h"
#include "tools/luzia-run/text.h"

int main(int argc, char** argv, char** envp) {
  using namespace luzia::run;
  if (argc == 2 && ::strcmp(argv[1], "--help") == 0) {
    ::fputs(kUsage, stdout);
    return luzia::run_record::kExitDone;
  }
  if (argc == 2 && ::strcmp(argv[1], "--version") == 0) {
    ::puts("luzia-run " LUZIA_VERSION);
    return luzia::run_record::kExitDone;
  }
  if (is_hook(argc, argv)) return run_hook(argc, argv, envp);
  Options options;
  Text<512> problem;
  if (!parse_options(argc, argv, envp, options, problem)) {
    ::fprintf(stderr, "luzia-run: %s; it is started by luziad, see luzia-run --help\n", problem.c_str());
    report_failure(options, problem);
    return luzia::run_record::kExitUsage;
  }
  if (!take_secrets(options, problem)) {
    report_failure(options, problem);
    return luzia::run_record::kExitNothingStarted;
  }
  hide_words(options);
  // Descriptors beyond the standard three are not for the agent (if started by hand, they are a shell's).
  kernel::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  limit_open_files(options);
  return run_attempt(options);
}
