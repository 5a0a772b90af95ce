#include "tools/luzia/look/wait_show.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "engine/base/try.h"
#include "tools/cli/display.h"
#include "tools/luzia/look/watch_view.h"
#include "tools/luzia/signals.h"

namespace luzia {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kTurn{120};             // between two steps of the spinner
constexpr milliseconds kShortestLookGap{250};  // between two queries of the rows
constexpr milliseconds kQueueLookGap{3'000};   // between two queries of why queued jobs do not start
constexpr std::size_t kUsualWidth = 80;

/// The line on stderr, rewritten in place.
class ShownLine {
 public:
  ~ShownLine() { clear(); }
  void clear() {
    if (std::exchange(shown_, false)) std::fputs("\r\x1b[K", stderr);
  }
  void show(const std::string& line) {
    shown_ = true;
    std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
    std::fflush(stderr);
  }

 private:
  bool shown_ = false;
};

/// The width of stderr without its last column, because a full line would wrap.
Terminal stderr_terminal(Invocation& invocation) {
  Terminal terminal = invocation.terminal();
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  terminal.width = (known ? size.ws_col : kUsualWidth) - 1;
  terminal.colour = terminal.err_colour;
  return terminal;
}

class ShownWait {
 public:
  ShownWait(Invocation& invocation, Client& client, const TimedWait& wait, Standstill& standstill)
      : invocation_(invocation),
        client_(client),
        wait_(wait),
        standstill_(standstill),
        look_(watch_look(update_settings(invocation), false)) {}

  Result<WaitAnswer> run() {
    std::optional<StopSignals> signals(std::in_place);
    Status sent = open();
    while (true) {
      if (!sent && sent.error().code != "connection_lost") return tl::unexpected(sent.error());
      if (!sent) {
        // While waiting for a daemon to start, we do not watch for signals: they have their default effect.
        signals.reset();
        auto again = LUZIA_TRY(invocation_.connect());
        signals.emplace();
        client_ = std::move(again);
        sent = open();
        continue;
      }
      const auto frame = signals->receive(client_, kTurn);
      if (const int signal = signals->take(); signal != 0) return WaitAnswer{std::nullopt, signal};
      if (!frame) {
        sent = tl::unexpected(frame.error());
        continue;
      }
      if (*frame != nullptr && (*frame)->id() == wait_id_) return answer(**frame);
      if (*frame != nullptr) take(**frame);
      sent = ask_if_changed();
      if (sent) sent = ask_for_prompts();
      if (sent) sent = ask_for_queue();
      draw();
    }
  }

 private:
  Status open() {
    rows_id_ = questions_id_ = approvals_id_ = queue_id_ = 0;
    changed_ = true;
    wire::FollowT follow;
    follow.filter = std::make_unique<wire::FilterT>();
    follow.filter->jobs = wait_.jobs();
    follow.live = follow.from_now = true;
    const auto following = client_.post(request_of(std::move(follow)));
    const auto waiting = LUZIA_TRY(following ? client_.send(wait_.request()) : following);
    follow_id_ = *following;
    wait_id_ = waiting;
    return {};
  }

  Result<WaitAnswer> answer(const wire::ServerFrame& frame) {
    if (const auto* refused = frame.reply_as_Refused()) return tl::unexpected(client_.error_of(*refused));
    if (frame.reply_type() != wire::Reply::Rows) {
      return fail(ErrorKind::trouble, "unexpected_reply", "waiting: the daemon sent an unexpected answer",
                  "luzia daemon restart");
    }
    Page page(std::unique_ptr<wire::ServerFrameT>(frame.UnPack()));
    wire::ForgetT forget;
    forget.request = follow_id_;
    // If this fails, the connection is gone and the subscription with it.
    [[maybe_unused]] const auto forgotten = client_.send(request_of(std::move(forget)));
    return WaitAnswer{std::move(page)};
  }

  void take(const wire::ServerFrame& frame) {
    if (frame.id() == follow_id_) changed_ = true;
    if (rows_id_ != 0 && frame.id() == rows_id_) prompts_due_ = true;
    take_page(frame, rows_id_, rows_, wire::RowType::job);
    take_page(frame, questions_id_, questions_, wire::RowType::question);
    take_page(frame, approvals_id_, approvals_, wire::RowType::approval);
    take_page(frame, queue_id_, queue_, wire::RowType::queue_entry);
    if (!queue_) return;
    for (const std::string& line : standstill_.news(queue_->as<view::QueueEntry>())) {
      line_.clear();
      invocation_.say(line);
    }
    queue_.reset();
  }

  /// A queue may be paused, or a limit be reached, without an event of the jobs.
  Status ask_for_queue() {
    if (!rows_ || queue_id_ != 0 || Clock::now() < queue_asked_ + kQueueLookGap) return {};
    queue_asked_ = Clock::now();
    const auto rows = rows_->as<view::Job>();
    const bool queued = std::ranges::any_of(
        rows, [](const view::Job* job) { return job->state() == schema::JobState::queued; });
    return queued ? ask_rows_of(wire::View::queue, queue_id_) : Status();
  }

  /// Stores the page if it answers the request `id`. A view that an older daemon does not know is ignored.
  static void take_page(const wire::ServerFrame& frame, std::uint64_t& id, std::optional<Page>& page,
                        wire::RowType type) {
    if (id == 0 || frame.id() != id) return;
    id = 0;
    if (frame.reply_type() != wire::Reply::Rows) return;
    Page answer(std::unique_ptr<wire::ServerFrameT>(frame.UnPack()));
    if (answer.type() == type) page.emplace(std::move(answer));
  }

  Status ask_if_changed() {
    if (!changed_ || rows_id_ != 0 || Clock::now() < asked_ + kShortestLookGap) return {};
    changed_ = false;
    asked_ = Clock::now();
    return ask_rows_of(wire::View::jobs, rows_id_);
  }

  /// Queries questions and approvals if the new rows say that a job has open ones.
  Status ask_for_prompts() {
    if (!prompts_due_ || questions_id_ != 0 || approvals_id_ != 0) return {};
    prompts_due_ = false;
    if (!somebody_asks()) return {};
    Status sent = ask_rows_of(wire::View::questions, questions_id_);
    return sent ? ask_rows_of(wire::View::approvals, approvals_id_) : sent;
  }

  bool somebody_asks() {
    if (!rows_) return false;
    const auto rows = rows_->as<view::Job>();
    const bool asks = std::ranges::any_of(
        rows, [](const view::Job* job) { return job->questions_open() + job->approvals_open() > 0; });
    if (!asks) {
      questions_.reset();
      approvals_.reset();
    }
    return asks;
  }

  Status ask_rows_of(wire::View view, std::uint64_t& id) {
    wire::QueryT query = view_query(view);
    query.filter->jobs = wait_.jobs();
    if (view != wire::View::jobs) query.filter->ended = false;
    query.limit = 1'000;
    query.without_positions = true;
    const auto sent = LUZIA_TRY(client_.send(request_of(std::move(query))));
    id = sent;
    return {};
  }

  void draw() {
    if (!rows_ || Clock::now() < drawn_ + kTurn) return;
    drawn_ = Clock::now();
    AskedNow asked;
    if (questions_) asked.questions = questions_->as<view::Question>();
    if (approvals_) asked.approvals = approvals_->as<view::Approval>();
    line_.show(wait_line(rows_->as<view::Job>(), invocation_.now(), turn_++, stderr_terminal(invocation_),
                         look_, asked));
  }

  Invocation& invocation_;
  Client& client_;
  const TimedWait& wait_;
  Standstill& standstill_;
  const WatchLook look_;
  std::optional<Page> rows_, questions_, approvals_, queue_;
  std::uint64_t follow_id_ = 0, wait_id_ = 0,
                rows_id_ = 0;  // request ids; 0: none pending; also the next two
  std::uint64_t questions_id_ = 0, approvals_id_ = 0, queue_id_ = 0;
  bool changed_ = true, prompts_due_ = false;
  std::size_t turn_ = 0;
  Clock::time_point asked_, drawn_, queue_asked_;
  ShownLine line_;
};

}  // namespace

bool shows_waits(Invocation& invocation) {
  return stderr_draws() && !invocation.json() && !invocation.args().has("quiet") &&
         update_settings(invocation).verbosity != UpdateSettings::Verbosity::quiet;
}

Result<WaitAnswer> wait_showing(Invocation& invocation, Client& client, const TimedWait& wait,
                                Standstill& standstill) {
  return ShownWait(invocation, client, wait, standstill).run();
}

}  // namespace luzia
