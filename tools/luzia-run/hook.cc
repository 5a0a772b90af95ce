#include "tools/luzia-run/hook.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "adapters/launcher/run_record.h"
#include "tools/luzia-run/descendants.h"
#include "tools/luzia-run/kernel_calls.h"
#include "tools/luzia-run/options.h"
#include "tools/luzia-run/start.h"

namespace luzia::run {
namespace {

constexpr char kHook[] = "--hook=";

struct Hook {
  std::uint64_t timeout_ms = 0;
  int report_fd = -1;
  bool drops_errors = false;  // what it prints on standard error
};

/// The value of `--name=value`; null: another option.
const char* text_after(const char* argument, const char* name) {
  const std::size_t length = ::strlen(name);
  return ::strncmp(argument, name, length) == 0 ? argument + length : nullptr;
}

bool read_number(const char* text, std::uint64_t& out) {
  if (text == nullptr || *text < '0' || *text > '9') return false;
  char* end = nullptr;
  errno = 0;
  out = ::strtoull(text, &end, 10);
  return errno == 0 && *end == '\0';
}

bool parse(int argc, char** argv, Hook& hook, Options& options) {
  std::uint64_t value = 0;
  int i = 1;
  for (; i < argc && ::strcmp(argv[i], "--") != 0; ++i) {
    const char* directory = text_after(argv[i], "--working-dir=");
    const char* user = text_after(argv[i], "--user=");
    if (directory != nullptr) {
      options.working_dir = directory;
    } else if (read_number(text_after(argv[i], kHook), value)) {
      hook.timeout_ms = value;
    } else if (read_number(text_after(argv[i], "--open-files="), value)) {
      options.open_files = value;
    } else if (::strcmp(argv[i], "--drop-errors") == 0) {
      hook.drops_errors = true;
    } else if (user != nullptr) {
      // A second --user would leak the first one's groups.
      if (options.switch_user || !parse_user(user, options)) return false;
    } else if (read_number(text_after(argv[i], "--report-fd="), value) && value <= 1'000'000) {
      hook.report_fd = static_cast<int>(value);
    } else {
      return false;
    }
  }
  options.command = argv + i + 1;
  return i + 1 < argc && hook.timeout_ms != 0 && hook.report_fd > STDERR_FILENO &&
         options.working_dir != nullptr;
}

/// Waits for the hook's end, its timeout, or a stop signal.
void watch(const Hook& hook, Watched& watched, TextView& line) {
  const std::uint64_t deadline = monotonic_ms() + hook.timeout_ms;
  for (;;) {
    const int signal = next_signal(deadline);
    reap(watched);
    if (watched.ended) break;
    if (signal == 0) return line.add("timeout\n");
    if (signal == SIGTERM || signal == SIGUSR1) return line.add("failed stopped\n");
  }
  if (WIFSIGNALED(watched.status)) return line.add("signal %d\n", WTERMSIG(watched.status));
  line.add("exit %d\n", WEXITSTATUS(watched.status));
}

}  // namespace

bool is_hook(int argc, char** argv) {
  return argc > 1 && text_after(argv[1], kHook) != nullptr;
}

int run_hook(int argc, char** argv, char** envp) {
  Hook hook;
  Options options;
  options.environment = envp;
  if (!parse(argc, argv, hook, options)) {
    ::fprintf(stderr, "luzia-run: bad words for a hook; it is started by luziad, see luzia-run --help\n");
    return run_record::kExitUsage;
  }
  block_signals();
  kernel::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  limit_open_files(options);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  Text<run_record::kStartErrorMax> problem;
  Text<run_record::kStartErrorMax + 16> line;
  const Sandbox none;
  const Started started = start_child(options,
                                      {.sandbox = none,
                                       .command = options.command,
                                       .input = STDIN_FILENO,
                                       .output = STDOUT_FILENO,
                                       .errors = hook.drops_errors ? STDERR_FILENO : -1,
                                       .remedy = "install it, or fix command of its [[hooks]]"},
                                      problem);
  // The hook has its own copies of these pipe ends, so they close when it closes them.
  ::close(STDIN_FILENO);
  ::close(STDOUT_FILENO);
  Watched watched{.sandbox = none, .pid = started.pid};
  if (started.pid < 0) {
    make_line(problem.bytes());
    line.add("failed %s\n", problem.c_str());
  } else {
    watch(hook, watched, line);
    kill_all(watched);
  }
  // The reader may be gone.
  if (::write(hook.report_fd, line.c_str(), line.size()) < 0) return run_record::kExitNothingStarted;
  return run_record::kExitDone;
}

}  // namespace luzia::run
