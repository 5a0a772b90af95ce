// top: everything that is under way on a full screen, live, with keys that answer.
#include <csignal>
#include <cstdlib>

#include "engine/base/try.h"
#include "tools/cli/shown_list.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/families.h"
#include "tools/luzia/look/top/feed.h"
#include "tools/luzia/look/top/machines.h"
#include "tools/luzia/look/top/screen.h"
#include "tools/luzia/look/top/view.h"
#include "tools/luzia/signals.h"
#include "tools/read/where_it_is.h"

namespace luzia {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kEscapeAlone{40};  // what follows an Escape of a key's sequence comes with it

constexpr Option kTopOptions[] = {kJobFilter,   kProjectFilter, kAgentFilter, kTagFilter,
                                  kStateFilter, kSinceFilter,   kUntilFilter, kMachinesOption};

class Top {
 public:
  Top(Invocation& invocation, TopLink link, TopMachines machines)
      : invocation_(invocation), feed_(std::move(link)), machines_(std::move(machines)) {
    terminal_ = invocation.terminal();
    list_ = ShownList::of_this_terminal(invocation.surroundings());
  }

  Result<int> run() {
    // No number means a row of an earlier list.
    if (list_) list_->keep({}, invocation_.now());
    while (true) {
      const auto code = show();
      keep_rows();
      if (!code || attach_to_.empty()) return code;
      attach();
    }
  }

 private:
  /// Until a key or a signal ends it, or attach_to_ is to be attached to.
  Result<int> show() {
    Screen screen;
    screen.measure(terminal_);
    feed_.link().try_again();
    feed_.show_soon(Clock::now());
    while (true) {
      if (Clock::now() >= feed_.next_draw() && !draw(screen)) return kSignalBase + SIGHUP;
      const Screen::Woken woken = screen.wait(feed_.link().fd(), until_next());
      if (woken.signal != 0) return kSignalBase + woken.signal;
      if (woken.resized) {
        screen.measure(terminal_);
        screen.forget();
        feed_.show_soon(Clock::now());
      }
      if (woken.keys) {
        const std::string bytes = screen.keys();
        if (bytes.empty()) return kSignalBase + SIGHUP;  // the terminal is gone
        if (!press_all(keys_.feed(bytes), screen)) return 0;
        escape_until_ = keys_.is_waiting() ? Clock::now() + kEscapeAlone : Clock::time_point::max();
      } else if (Clock::now() >= escape_until_) {
        escape_until_ = Clock::time_point::max();
        if (!press_all(keys_.finish(), screen)) return 0;
      }
      LUZIA_TRY(feed_.take_news(Clock::now(), invocation_.now()));
      machines_.step(Clock::now());
    }
  }

  bool draw(Screen& screen) {
    feed_.drawn(Clock::now());
    feed_.model().show_machines(machines_.text(Clock::now()), machines_.seen(Clock::now()));
    if (auto rows = top_rows(feed_.model())) rows_ = std::move(*rows);
    return screen.draw(top_lines(feed_.model(), invocation_.now(), terminal_, list_.has_value()));
  }

  /// Gives the rows that are shown their numbers in the next command.
  void keep_rows() {
    if (list_) list_->keep(rows_, invocation_.now());
  }

  /// As luzia attach does, with the same store. What it refuses is shown below the list.
  void attach() {
    feed_.hang_up();
    const Program& program = invocation_.program();
    std::vector<std::string> words = {std::exchange(attach_to_, {})};
    for (const Option& option : program.common) {
      const std::string name(long_name(option));
      if (!invocation_.args().has(name)) continue;
      words.push_back("--" + name);
      if (option.kind != ValueKind::flag) words.push_back(invocation_.args().text(name));
    }
    auto arguments = Arguments::parse(program, kAttachCommand, words, invocation_.now());
    auto code = arguments ? Result<int>(0) : tl::unexpected(arguments.error());
    if (code) {
      Invocation attaching(program, kAttachCommand, std::move(*arguments), invocation_.surroundings());
      code = kAttachCommand.run(attaching);
    }
    if (!code) feed_.model().say(code.error().message);
  }

  milliseconds until_next() const {
    const Clock::time_point next = std::min(feed_.next_step(), escape_until_);
    return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(next - Clock::now()));
  }

  /// False: it is over.
  bool press_all(const std::vector<Key>& keys, Screen& screen) {
    feed_.pressed(Clock::now());
    for (const Key& key : keys) {
      if (!act(feed_.model().press(key, top_page(terminal_)), screen)) return false;
    }
    if (feed_.link().look_further(!feed_.model().filter().empty())) feed_.look_again();
    feed_.show_soon(Clock::now());
    return true;
  }

  bool act(const TopAction& action, Screen& screen) {
    switch (action.kind) {
      case TopAction::Kind::none:
        break;
      case TopAction::Kind::quit:
        return false;
      case TopAction::Kind::attach:
        attach_to_ = action.job;
        return false;
      case TopAction::Kind::suspend:
        keep_rows();
        screen.suspend();
        screen.measure(terminal_);
        break;
      case TopAction::Kind::redraw:
        screen.forget();
        break;
      case TopAction::Kind::show_detail:
        feed_.link().show_detail(action.job);
        break;
      case TopAction::Kind::hide_detail:
        feed_.link().show_detail({});
        break;
      case TopAction::Kind::answer:
      case TopAction::Kind::approve:
      case TopAction::Kind::deny:
      case TopAction::Kind::cancel:
      case TopAction::Kind::retry:
        feed_.link().carry_out(action);
        break;
    }
    return true;
  }

  Invocation& invocation_;
  TopFeed feed_;
  TopMachines machines_;
  Terminal terminal_;
  KeyReader keys_;
  std::optional<ShownList> list_;  // none: this terminal keeps no numbers
  std::vector<std::string> rows_;  // of the list that was drawn last
  std::string attach_to_;          // a job
  Clock::time_point escape_until_ = Clock::time_point::max();
};

Result<int> run_top(Invocation& invocation) {
  if (invocation.json()) {
    return fail(ErrorKind::usage, "bad_usage", "top is a screen for people and has no JSON",
                "luzia status --json, or luzia follow");
  }
  const Terminal& terminal = invocation.terminal();
  const char* kind = std::getenv("TERM");
  const bool draws = kind != nullptr && kind[0] != '\0' && std::string_view(kind) != "dumb";
  if (!terminal.in_is_terminal || !terminal.out_is_terminal || !draws) {
    return fail(ErrorKind::usage, "no_terminal", "top needs a terminal on its input and output that can draw",
                "luzia status, or luzia watch --all, elsewhere");
  }
  // The first connection may start the daemon, as with every command; while it is away later nobody is
  // started again behind a person's back.
  auto first = LUZIA_TRY(connect_to_ask(invocation));
  LUZIA_TRY(first.ask(request_of(wire::ControlT())));
  const auto connection = std::make_shared<std::optional<Client>>(std::move(first));
  const auto connect = [&invocation, connection]() -> Result<Client> {
    if (connection->has_value()) {
      Client client = std::move(**connection);
      connection->reset();
      return client;
    }
    return invocation.connect(WhenAbsent::complain);
  };
  TopMachines machines;
  if (invocation.args().has("machines")) {
    const auto config = LUZIA_TRY(invocation.config());
    const auto most = LUZIA_TRY(time_for_machines(invocation));
    machines = TopMachines(other_machines(*config, most));
  }
  TopLink link(connect, *filter_of(invocation.args()), shown_limits(invocation));
  return Top(invocation, std::move(link), std::move(machines)).run();
}

}  // namespace

const Command kTopCommand = {
    "top",
    "Look",
    "[filters]",
    "watch everything live on one screen; answer, approve, cancel",
    "What needs you comes first, then what works, is queued, is parked, has ended. Enter shows why a job is "
    "as it is and what it prints; 1 to 9 answer its question, a and d approve and deny, c cancels, each "
    "after a question back. After an answer the next row that needs you is selected; these keys count again "
    "after another key or half a second. t attaches to the job's terminal, or opens its agent's session in "
    "one, as luzia attach does. / filters (of what has ended the last 500), ? lists the keys, q leaves. "
    "STATE proved and refuted are completed and failed by the checks of the work (--verify). "
    "Rows have the numbers that the next command takes: luzia logs %3. While nothing happens the daemon is "
    "asked only whether it still responds; a daemon that hangs is reported. With --machines a line says what "
    "needs input, works and waits on each other machine, every five seconds, and their first open jobs stand "
    "below the own ones; luzia --on NAME top acts there.",
    "luzia top\n"
    "luzia top --project web",
    kTopOptions,
    {},
    run_top,
    kNeedsStore,
    "the screen shows what fits\nluzia status --limit N, or / in top to search"};

}  // namespace luzia
