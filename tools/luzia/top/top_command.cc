// top: everything that is under way on a full screen, live, with keys that answer.
#include "tools/luzia/top_command.h"

#include <csignal>
#include <cstdlib>

#include "tools/luzia/signals.h"
#include "tools/luzia/top/link.h"
#include "tools/luzia/top/screen.h"
#include "tools/luzia/top/view.h"

namespace luzia {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kTopTick{1'000};       // elapsed times move on
constexpr milliseconds kShortestTopGap{100};  // between two looks, and two pictures
constexpr milliseconds kReconnectEvery{250};  // while the daemon is away
constexpr milliseconds kEscapeAlone{40};      // what follows an Escape of a key's sequence comes with it

constexpr Option kTopOptions[] = {kProjectFilter, kAgentFilter, kTagFilter};

class Top {
 public:
  Top(Invocation& invocation, TopLink link) : invocation_(invocation), link_(std::move(link)) {
    terminal_ = invocation.terminal();
  }

  Result<int> run() {
    Screen screen;
    screen.measure(terminal_);
    link_.try_again();
    while (true) {
      if (Clock::now() >= next_draw_ && !draw(screen)) return kSignalBase + SIGHUP;
      const Screen::Woken woken = screen.wait(link_.fd(), until_next());
      if (woken.signal != 0) return kSignalBase + woken.signal;
      if (woken.resized) {
        screen.measure(terminal_);
        screen.forget();
        show_soon();
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
      if (Status taken = take_news(); !taken) return tl::unexpected(taken.error());
    }
  }

 private:
  bool draw(Screen& screen) {
    drawn_ = Clock::now();
    next_draw_ = drawn_ + kTopTick;
    return screen.draw(top_lines(model_, invocation_.now(), terminal_));
  }

  /// No sooner than the shortest gap after the last picture.
  void show_soon() { next_draw_ = std::min(next_draw_, std::max(Clock::now(), drawn_ + kShortestTopGap)); }

  milliseconds until_next() const {
    Clock::time_point next = std::min(next_draw_, escape_until_);
    if (changed_ && !link_.is_asking()) next = std::min(next, asked_ + kShortestTopGap);
    if (link_.is_away()) next = std::min(next, tried_ + kReconnectEvery);
    return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(next - Clock::now()));
  }

  Status take_news() {
    auto news = link_.take();
    if (!news) return tl::unexpected(news.error());
    changed_ = changed_ || news->changed;
    if (news->snapshot) model_.take(std::move(news->snapshot), invocation_.now());
    if (news->detail) model_.take(std::move(*news->detail));
    if (news->snapshot || news->detail || !news->said.empty()) show_soon();
    if (!news->said.empty()) model_.say(std::move(news->said));
    if (link_.is_away() && Clock::now() >= tried_ + kReconnectEvery) {
      tried_ = Clock::now();
      link_.try_again();
      model_.say(link_.is_away() ? "the daemon is away; luzia daemon start starts it" : "");
      show_soon();
    }
    if (changed_ && !link_.is_asking() && Clock::now() >= asked_ + kShortestTopGap) {
      changed_ = false;
      asked_ = Clock::now();
      link_.ask();
    }
    return {};
  }

  /// False: it is over.
  bool press_all(const std::vector<Key>& keys, Screen& screen) {
    for (const Key& key : keys) {
      if (!act(model_.press(key, top_page(terminal_)), screen)) return false;
    }
    if (link_.look_further(!model_.filter().empty())) changed_ = true;
    show_soon();
    return true;
  }

  bool act(const TopAction& action, Screen& screen) {
    switch (action.kind) {
      case TopAction::Kind::none:
        break;
      case TopAction::Kind::quit:
        return false;
      case TopAction::Kind::suspend:
        screen.suspend();
        screen.measure(terminal_);
        break;
      case TopAction::Kind::redraw:
        screen.forget();
        break;
      case TopAction::Kind::show_detail:
        link_.show_detail(action.job);
        break;
      case TopAction::Kind::hide_detail:
        link_.show_detail({});
        break;
      case TopAction::Kind::answer:
      case TopAction::Kind::approve:
      case TopAction::Kind::deny:
      case TopAction::Kind::cancel:
        link_.order(action);
        break;
    }
    return true;
  }

  Invocation& invocation_;
  TopLink link_;
  TopModel model_;
  Terminal terminal_;
  KeyReader keys_;
  bool changed_ = false;  // since it was asked for last
  Clock::time_point next_draw_ = Clock::time_point::min(), drawn_, asked_, tried_;
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
  auto first = connect_to_ask(invocation);
  if (!first) return tl::unexpected(first.error());
  const auto connection = std::make_shared<std::optional<Client>>(std::move(*first));
  const auto connect = [&invocation, connection]() -> Result<Client> {
    if (connection->has_value()) {
      Client client = std::move(**connection);
      connection->reset();
      return client;
    }
    return invocation.connect(WhenAbsent::complain);
  };
  return Top(invocation, TopLink(connect, *filter_of(invocation.args()), shown_limits(invocation))).run();
}

}  // namespace

const Command kTopCommand = {
    "top",
    "Look",
    "[--project NAME] [--agent NAME] [--tag TAG]",
    "everything under way on a full screen, live; keys answer, approve, cancel",
    "What needs you comes first, then what works, is queued, is parked, has ended. Enter shows why a job is "
    "as it is "
    "and what it prints; 1 to 9 answer its question, a and d approve and deny, c cancels, each after a "
    "question "
    "back. / filters (of what has ended the last 500), ? lists the keys, q leaves. Nothing is asked of the "
    "daemon while nothing happens.",
    "luzia top\n"
    "luzia top --project web",
    kTopOptions,
    0,
    0,
    Completes::nothing,
    run_top};

}  // namespace luzia
