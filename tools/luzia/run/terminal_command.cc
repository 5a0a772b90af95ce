// terminal: lets scripts and other agents drive a session: type keys, read the screen, wait for text on it.
// Works for jobs of luzia work on and for any tmux pane, on this machine or behind a prefix (docker exec,
// ssh).
#include <re2/re2.h>

#include <chrono>
#include <thread>

#include "adapters/terminal/screen_wait.h"
#include "adapters/terminal/tmux.h"
#include "engine/base/time.h"
#include "engine/base/try.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json_object.h"
#include "projections/rows/names.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/families.h"

namespace luzia {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

constexpr Milliseconds kLookAtPaneEvery{50};

constexpr Option kTerminalOptions[] = {
    {"--target", ValueKind::text, "PANE", "use a tmux pane instead of a job: session:window.pane, %3"},
    {"--prefix", ValueKind::text, "WORDS",
     "with --target: run tmux through these words, such as docker exec -i NAME; no shell"},
    {"--enter", ValueKind::flag, "", "send: press Enter after the keys"},
    {"--enter-delay", ValueKind::duration, "D",
     "send: press Enter this long after the keys, for programs that detect a paste"},
    {"--literal", ValueKind::flag, "", "send: type every word as text, even names of keys"},
    {"--lines", ValueKind::number, "N", "capture: print the last N lines, including scrolled ones"},
    {"--raw", ValueKind::flag, "", "capture: print what tmux gives, with its control characters"},
    {"--for", ValueKind::text, "REGEX", "wait: until the screen shows it (RE2, ^ and $ match at lines)"},
    {"--idle", ValueKind::duration, "D", "wait: until the screen has not changed for this long"},
    {"--shell-prompt", ValueKind::flag, "", "wait: until a shell shows its prompt"},
    {"--timeout", ValueKind::duration, "D", "wait: at most this long, then exit code 1"},
};

Result<TmuxPane> pane_of_job(Invocation& invocation, const std::string& name) {
  auto client = LUZIA_TRY(invocation.connect());
  const auto page = LUZIA_TRY(ask_job(invocation, client, name));
  const view::Job& job = *page.as<view::Job>().front();
  const std::string id = job.id()->str(), dir = job.dir() == nullptr ? "" : job.dir()->str();
  if (job.tracked()) {
    return fail(ErrorKind::refused, "not_started_here",
                "the session of " + id + ": it has none, because Luzia did not start it",
                "luzia why " + id + " shows what was published about it");
  }
  if (is_terminal(job.state()) || job.pid() == 0) {
    return fail(
        ErrorKind::refused, "wrong_state",
        "the session of " + id + ": the job is not running (" + std::string(state_name(job.state())) + ")",
        "luzia logs " + id);
  }
  if (!has_session(dir)) {
    return fail(ErrorKind::refused, "no_session", "the session of " + id + ": it has none",
                "only luzia work on starts sessions; luzia attach " + id + " joins a plain terminal");
  }
  return TmuxPane{{}, dir, {}};
}

/// Finds the pane. `rest` receives the words after the action and the job.
Result<TmuxPane> find_pane(Invocation& invocation, std::vector<std::string>& rest) {
  const Arguments& args = invocation.args();
  rest.assign(args.positionals().begin() + 1, args.positionals().end());
  if (args.has("target")) return TmuxPane{split_list(args.text("prefix"), ' '), {}, args.text("target")};
  if (args.has("prefix")) {
    return fail(ErrorKind::usage, "bad_usage",
                "--prefix needs --target, because sessions of jobs are on this machine");
  }
  if (rest.empty()) {
    return fail(ErrorKind::usage, "bad_usage", "no session given: name a job, or a pane with --target",
                "luzia terminal --help");
  }
  const std::string job = rest.front();
  rest.erase(rest.begin());
  return pane_of_job(invocation, job);
}

Result<int> send_to_pane(Invocation& invocation, const TmuxPane& pane, const std::vector<std::string>& keys) {
  const Arguments& args = invocation.args();
  const bool enters = args.has("enter") || args.has("enter-delay");
  if (keys.empty() && !enters) {
    return fail(ErrorKind::usage, "bad_usage", "sending: no keys given", "luzia terminal send JOB KEYS");
  }
  if (!keys.empty()) {
    LUZIA_TRY(send_keys(pane, keys, args.has("literal")));
  }
  if (enters) {
    std::this_thread::sleep_for(Milliseconds(args.duration_ms("enter-delay").value_or(0)));
    LUZIA_TRY(send_keys(pane, {"Enter"}, false));
  }
  return 0;
}

Result<int> capture(Invocation& invocation, const TmuxPane& pane) {
  const Arguments& args = invocation.args();
  const auto screen = LUZIA_TRY(capture_screen(pane, args.number("lines").value_or(0)));
  if (invocation.json()) {
    JsonObject object;
    object.text("screen", screen);
    print_line(object.take());
  } else {
    if (args.has("raw")) {
      print_raw(screen);
    } else {
      print(make_harmless(screen, {.keep_newlines = true}));
    }
  }
  return 0;
}

/// The condition to wait for, from the options.
Result<ScreenWait> wait_from(const Arguments& args, const TmuxPane& pane) {
  if (!args.has("for") && !args.has("idle") && !args.has("shell-prompt")) {
    return fail(ErrorKind::usage, "bad_usage", "waiting: no condition given",
                "add --for REGEX, --idle 2s or --shell-prompt");
  }
  std::shared_ptr<const RE2> pattern;
  if (args.has("for")) {
    RE2::Options options(RE2::Quiet);
    options.set_never_nl(false);
    pattern = std::make_shared<const RE2>("(?m)" + args.text("for"), options);
    if (!pattern->ok()) {
      return fail(ErrorKind::usage, "bad_regex", "--for: '" + args.text("for") + "': " + pattern->error(),
                  "RE2 syntax: github.com/google/re2/wiki/Syntax");
    }
  }
  const bool prompt = args.has("shell-prompt");
  const auto shows = [pattern, prompt, pane](std::string_view screen) {
    if (pattern && !RE2::PartialMatch(re2::StringPiece(screen.data(), screen.size()), *pattern)) return false;
    if (!prompt) return true;
    // In a job's session the pane's program is always the one that displays the job's terminal.
    const auto front = pane.job_dir.empty() ? program_in_front(pane) : Result<std::string>("sh");
    return front && is_shell(*front) && shows_shell_prompt(screen);
  };
  return ScreenWait(shows, args.duration_ms("idle").value_or(0));
}

Result<int> wait(Invocation& invocation, const TmuxPane& pane) {
  const Arguments& args = invocation.args();
  auto wanted = LUZIA_TRY(wait_from(args, pane));
  const auto begun = Clock::now();
  const auto timeout = args.duration_ms("timeout");
  while (true) {
    const auto screen = LUZIA_TRY(capture_screen(pane, 0));
    const auto passed = std::chrono::duration_cast<Milliseconds>(Clock::now() - begun);
    if (wanted.look(screen, static_cast<std::uint64_t>(passed.count()))) return 0;
    if (timeout && passed >= Milliseconds(*timeout)) {
      invocation.say("not yet after " + args.text("timeout") + "; the screen has not changed for " +
                     format_duration(static_cast<TimeUs>(wanted.still_ms()) * kMillisecondUs));
      return 1;
    }
    std::this_thread::sleep_for(kLookAtPaneEvery);
  }
}

Result<int> run_terminal(Invocation& invocation) {
  const std::string& verb = invocation.args().positionals().front();
  if (verb != "send" && verb != "capture" && verb != "wait") {
    return fail(ErrorKind::usage, "bad_usage", "terminal: unknown action '" + verb + "'",
                "luzia terminal send|capture|wait");
  }
  std::vector<std::string> rest;
  const auto pane = LUZIA_TRY(find_pane(invocation, rest));
  if (verb == "send") return send_to_pane(invocation, pane, rest);
  if (!rest.empty()) {
    return fail(ErrorKind::usage, "bad_usage", "terminal " + verb + ": unexpected word '" + rest[0] + "'");
  }
  return verb == "capture" ? capture(invocation, pane) : wait(invocation, pane);
}

}  // namespace

const Command kTerminalCommand = {
    "terminal",
    "Run",
    "send JOB KEYS... [--enter] [--literal]\ncapture JOB [--lines N]\n"
    "wait JOB --for REGEX | --idle D | --shell-prompt [--timeout D]",
    "type into a session, read its screen, wait for text on it",
    "Works for sessions of luzia work on (give the job) and for any tmux pane (--target). Keys are tmux's "
    "key names: Enter, Escape, C-c, Up; other words are typed as text. --idle compares the screen's "
    "content: it must not change for that long. If several conditions are given, all must hold at once. "
    "--prefix is split at spaces and put before tmux, without a shell.",
    "luzia terminal send @last \"fix the tests\" --enter-delay 200ms\n"
    "luzia terminal wait @last --idle 3s --timeout 10m && luzia terminal capture @last\n"
    "luzia terminal send @last C-c\n"
    "luzia terminal wait --target agents:0 --prefix \"docker exec -i box\" --shell-prompt",
    kTerminalOptions,
    {1, -1, Completes::job},
    run_terminal,
    kNeedsStore};

}  // namespace luzia
