// The hidden command that luzia-run starts instead of the agent, to hold the agent's terminal. It talks only
// to the agent and to attached people: no configuration, no daemon.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "adapters/terminal/attached_terminal.h"
#include "adapters/terminal/terminal_host.h"
#include "adapters/terminal/tmux.h"
#include "engine/base/try.h"
#include "tools/cli/invocation.h"
#include "tools/luzia/families.h"

namespace luzia {
namespace {

constexpr Option kHoldTerminalOptions[] = {
    {"--dir", ValueKind::text, "DIR", "the job's directory"},
    {"--size", ValueKind::text, "COLUMNSxROWS", "the terminal's size"},
};

TerminalSize size_from_words(const std::string& text) {
  TerminalSize size;
  const char* end = text.data() + text.size();
  const auto columns = std::from_chars(text.data(), end, size.columns);
  if (columns.ptr != end) std::from_chars(columns.ptr + 1, end, size.rows);
  return size.columns == 0 || size.rows == 0 ? TerminalSize() : size;
}

/// Ends like the agent did, so that luzia-run sees the agent's exit code or signal.
[[noreturn]] void end_as(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    const rlimit no_core{0, 0};  // the agent has dumped core itself
    ::setrlimit(RLIMIT_CORE, &no_core);
    ::signal(number, SIG_DFL);
    sigset_t it;
    ::sigemptyset(&it);
    ::sigaddset(&it, number);
    ::sigprocmask(SIG_UNBLOCK, &it, nullptr);
    ::raise(number);
  }
  std::_Exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

/// Runs the agent on the terminal. Returns its wait status; nothing if it could not be started, and then
/// `exit_code` is the code to exit with.
std::optional<int> run_on(TerminalHost& host, const std::vector<std::string>& argv, int& exit_code) {
  if (auto started = host.start(argv, exit_code); !started) {
    print_error("luzia", started.error(), false);
    return std::nullopt;
  }
  return host.run();
}

Result<int> hold(const std::string& dir, TerminalSize size, const std::vector<std::string>& argv) {
  ::setenv("TERM", "xterm-256color", 0);
  auto host = LUZIA_TRY(TerminalHost::open(dir, size));
  int exit_code = 0;
  const auto status = run_on(*host, argv, exit_code);
  host.reset();
  if (status) end_as(*status);
  return exit_code;
}

/// Runs the agent in a tmux session. tmux only displays the terminal in a pane and attaches like any viewer.
/// The agent stays our child, so its output and its end do not depend on tmux.
Result<int> hold_session(const std::string& dir, TerminalSize size, const std::vector<std::string>& argv) {
  std::error_code ignored;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
  const std::string name = std::filesystem::path(dir).filename().string();
  ::setenv("TERM", "tmux-256color", 1);
  auto host = LUZIA_TRY(TerminalHost::open(dir, size));
  const auto server = LUZIA_TRY(start_session(dir, name, size, {self, "__terminal", "pane", "--dir", dir}));
  int exit_code = 0;
  const auto status = run_on(*host, argv, exit_code);
  host.reset();
  end_session(dir, server);
  if (status) end_as(*status);
  return exit_code;
}

Result<int> run_hidden(Invocation& invocation) {
  const Arguments& args = invocation.args();
  std::vector<std::string> argv = args.positionals();
  const std::string verb = argv.front(), dir = args.text("dir");
  argv.erase(argv.begin());
  const TerminalSize size = size_from_words(args.text("size"));
  if (verb == "run" && !argv.empty()) return hold(dir, size, argv);
  if (verb == "session" && !argv.empty()) return hold_session(dir, size, argv);
  if (verb == "pane") return attach_terminal(dir, Role::screen).map([](const Attachment&) { return 0; });
  return fail(ErrorKind::usage, "bad_usage", "luzia __terminal: only luziad calls this command");
}

}  // namespace

const Command kHoldTerminalCommand = {"__terminal",
                                      "",
                                      "run|session|pane --dir DIR -- COMMAND",
                                      "hold the terminal of a job",
                                      "",
                                      "",
                                      kHoldTerminalOptions,
                                      {1, -1},
                                      run_hidden};

}  // namespace luzia
