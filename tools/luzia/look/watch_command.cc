// watch: shows jobs live: on a terminal a display redrawn in place, elsewhere a line per change.
#include <algorithm>
#include <cstdio>
#include <set>

#include "engine/base/local_time.h"
#include "engine/base/try.h"
#include "projections/query.h"
#include "projections/rows/event_text.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json.h"
#include "projections/rows/names.h"
#include "tools/cli/display.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/families.h"
#include "tools/luzia/look/updates.h"
#include "tools/luzia/look/watch_output.h"
#include "tools/luzia/look/watch_view.h"
#include "tools/luzia/signals.h"
#include "tools/read/where_it_is.h"

namespace luzia {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kWatchTick{1'000};  // redraw at least this often: elapsed times and last lines change
constexpr milliseconds kShortestWatchGap{100};  // between two drawings

constexpr Option kWatchOptions[] = {
    {"-A,--all", ValueKind::flag, "", "watch all unfinished jobs, and new ones, until Ctrl-C"},
    {"--quiet-output", ValueKind::flag, "", "leave out the output of the jobs"},
    kJobFilter,
    kProjectFilter,
    kAgentFilter,
    kTagFilter,
    {"--state", ValueKind::states, "STATE", "only jobs while they are in these states"},
};

/// `bad_usage`: filters that make no sense for what is watched.
Status check_watch_filters(const Invocation& invocation) {
  const Arguments& args = invocation.args();
  if (args.has("state") && (args.has("job") || !args.positionals().empty())) {
    return fail(ErrorKind::usage, "bad_usage",
                "watch: --state does not apply to named jobs, which are watched until they end",
                "luzia watch --all --state running, or luzia wait JOB --until STATE");
  }
  return {};
}

/// Whether the display is redrawn in place.
bool draws_picture(Invocation& invocation) {
  return invocation.terminal().out_is_terminal && !invocation.json();
}

/// The watched jobs and their current rows.
class Watching {
 public:
  explicit Watching(Invocation& invocation)
      : invocation_(invocation), names_(invocation.args().positionals()) {
    const Arguments& args = invocation.args();
    for (std::string& job : args.list("job")) names_.push_back(std::move(job));
    const bool filtered = args.has("project") || args.has("agent") || args.has("tag") || args.has("state");
    if (names_.empty() && !args.has("all") && !filtered) names_.emplace_back(kLastJob);
  }

  Status open() {
    auto client = LUZIA_TRY(connect_to_ask(invocation_));
    client_.emplace(std::move(client));
    if (output_) output_->forget_requests();
    LUZIA_TRY(look());
    wire::FollowT follow;
    follow.filter = filter();
    // A picture is drawn again also when a job leaves the states that it shows.
    if (draws_picture(invocation_)) follow.filter->states.clear();
    follow.live = follow.watching = true;
    follow.since = page_->position();
    const auto sent = client_->send(request_of(std::move(follow)));
    return sent ? Status() : tl::unexpected(sent.error());
  }

  /// Queries the rows again.
  Status look() {
    wire::QueryT query = view_query(names_.empty() ? wire::View::status : wire::View::jobs, filter());
    query.limit = names_.empty() ? 3 : 1'000;
    query.long_queue = names_.empty();
    auto page = LUZIA_TRY(ask_rows(*client_, query));
    page_.emplace(std::move(page));
    if (all()) {
      auto pauses = LUZIA_TRY(ask_rows(*client_, pauses_query(invocation_.args())));
      pauses_.emplace(std::move(pauses));
    }
    // From here on by full id: a prefix may become ambiguous.
    if (!names_.empty()) {
      names_.clear();
      for (const view::Job* job : jobs()) names_.push_back(job->id()->str());
      LUZIA_TRY(look_at_prompts());
      return follow_output();
    }
    return {};
  }

  /// Also shows the output of the named jobs. Call before open().
  void show_output(const OutputOptions& options) { output_.emplace(options, names_.size() > 1); }
  Status follow_output() { return output_ ? output_->follow(*client_, jobs()) : Status(); }
  WatchedOutput* output() { return output_ ? &*output_ : nullptr; }
  bool output_is_whole() const { return !output_ || output_->is_whole(); }

  std::vector<const view::Job*> jobs() const { return page_->as<view::Job>(); }
  /// The open questions and approvals of the named jobs.
  AskedNow asked() const {
    AskedNow asked;
    if (questions_) asked.questions = questions_->as<view::Question>();
    if (approvals_) asked.approvals = approvals_->as<view::Approval>();
    return asked;
  }
  /// The exit code, as for a wait.
  int exit_code() const {
    int code = 0;
    for (const view::Job* job : jobs()) code = code != 0 ? code : exit_code_of(*job, false);
    return code;
  }
  /// Whether all jobs are watched instead of named ones.
  bool all() const { return names_.empty(); }
  std::vector<const view::QueueSwitch*> pauses() const { return pauses_of(pauses_ ? &*pauses_ : nullptr); }
  Client& client() { return *client_; }
  /// The log position of the rows.
  Position position() const { return page_->position(); }
  bool over() const {
    if (names_.empty()) return false;
    const auto rows = jobs();
    return output_is_whole() && std::all_of(rows.begin(), rows.end(),
                                            [](const view::Job* job) { return is_terminal(job->state()); });
  }

 private:
  /// Queries open questions and approvals. An older daemon may not know the views; then only their number is
  /// shown.
  Status look_at_prompts() {
    questions_.reset();
    approvals_.reset();
    const auto rows = jobs();
    const auto asks = [](const view::Job* job) {
      return !is_terminal(job->state()) && job->questions_open() + job->approvals_open() > 0;
    };
    if (std::ranges::none_of(rows, asks)) return {};
    const auto ask = [this](wire::View view, wire::RowType type, std::optional<Page>& page) -> Status {
      wire::QueryT query = view_query(view, filter());
      query.limit = 1'000;
      query.filter->ended = false;
      auto answer = ask_rows(*client_, query);
      if (answer && answer->type() == type) page.emplace(std::move(*answer));
      return answer || answer.error().code == "unknown_view" ? Status() : tl::unexpected(answer.error());
    };
    const Status asked = ask(wire::View::questions, wire::RowType::question, questions_);
    return asked ? ask(wire::View::approvals, wire::RowType::approval, approvals_) : asked;
  }

  std::unique_ptr<wire::FilterT> filter() const {
    auto filter = filter_of(invocation_.args());
    filter->jobs = names_;
    return filter;
  }

  Invocation& invocation_;
  std::vector<std::string> names_;
  std::optional<Client> client_;
  std::optional<Page> page_, pauses_, questions_, approvals_;
  std::optional<WatchedOutput> output_;
};

using EachEvent = std::function<void(const schema::Event&)>;
using EachText = std::function<void(const std::string&)>;

/// Whether the frame was output; calls `each_text` with its lines.
bool take_output(Watching& watching, const wire::ServerFrame& frame, const EachText& each_text) {
  if (watching.output() == nullptr) return false;
  const bool taken = watching.output()->take(frame);
  if (const std::string text = watching.output()->text(); !text.empty()) each_text(text);
  return taken;
}

void take_events(const wire::ServerFrame& frame, const EachEvent& each) {
  const auto* events = frame.reply_as_Events();
  if (events == nullptr || events->events() == nullptr) return;
  for (const wire::Row* row : *events->events()) {
    const auto* event = row->data() == nullptr
                            ? nullptr
                            : verified_row<schema::Event>({row->data()->data(), row->data()->size()});
    if (event != nullptr) each(*event);
  }
}

/// Handles the received frames: calls `each` for every event and `each_text` for lines of output. Reconnects
/// if the daemon was restarted.
Status take_frames(Watching& watching, const EachEvent& each, const EachText& each_text) {
  while (true) {
    const auto frame = watching.client().receive(milliseconds(0));
    if (!frame && frame.error().code == "connection_lost") return watching.open();
    if (!frame) return tl::unexpected(frame.error());
    if (*frame == nullptr) {
      // An attempt whose output is whole may have a successor.
      return watching.follow_output();
    }
    if (take_output(watching, **frame, each_text)) continue;
    if (const auto* refused = (*frame)->reply_as_Refused()) {
      return tl::unexpected(watching.client().error_of(*refused));
    }
    take_events(**frame, each);
  }
}

/// A display that is redrawn in place. Hides the cursor meanwhile.
class Picture {
 public:
  Picture() { print_raw("\x1b[?25l"); }
  ~Picture() {
    print_raw("\x1b[?25h");
    std::fflush(stdout);
  }
  Picture(const Picture&) = delete;
  Picture& operator=(const Picture&) = delete;

  /// Prints lines above the display, where they stay.
  void print_above(const std::string& text) {
    move_up();
    print_raw("\r\x1b[J");
    print(text);
    height_ = 0;
    draw(std::vector<std::string>(lines_));
  }

  void draw(const std::vector<std::string>& lines) {
    move_up();
    for (const std::string& line : lines) {
      print_raw("\r\x1b[K");
      print_line(line);
    }
    print_raw("\x1b[J");
    std::fflush(stdout);
    height_ = lines.size();
    lines_ = lines;
  }

 private:
  void move_up() const {
    if (height_ > 0) print_raw("\x1b[" + std::to_string(height_) + "A");
  }

  std::size_t height_ = 0;
  std::vector<std::string> lines_;
};

/// The exit code after Ctrl-C. 0 for --all, which only Ctrl-C ends; 128 + signal for named jobs, which have
/// not ended.
int interrupted_code(const Watching& watching, const Signals& signals) {
  return watching.all() ? 0 : kSignalBase + signals.last_signal();
}

Result<int> watch_on_terminal(Invocation& invocation, Watching& watching) {
  Terminal terminal = invocation.terminal();
  WatchLook look = watch_look(update_settings(invocation), is_compact(invocation));
  if (watching.output() != nullptr) look.last_lines = false;
  const Signals signals;
  Picture picture;
  bool changed = true;
  const auto take = [&] {
    const bool whole = watching.output_is_whole();
    const Status taken = take_frames(
        watching, [&](const schema::Event&) { changed = true; },
        [&](const std::string& text) { picture.print_above(text); });
    changed = changed || whole != watching.output_is_whole();
    return taken;
  };
  auto drawn = Clock::now() - kWatchTick;
  while (true) {
    const auto since = std::chrono::duration_cast<milliseconds>(Clock::now() - drawn);
    if (since >= (changed ? kShortestWatchGap : kWatchTick)) {
      LUZIA_TRY(watching.look());
      picture.draw(watching.all()
                       ? overview_lines(watching.jobs(), watching.pauses(), invocation.now(), terminal, look)
                       : watch_lines(watching.jobs(), invocation.now(), terminal, look, watching.asked()));
      changed = false;
      drawn = Clock::now();
      if (watching.over()) return watching.exit_code();
      // Frames that arrived before the rows are in the client already, which no wait would notice.
      LUZIA_TRY(take());
      continue;
    }
    switch (signals.wait(watching.client(), (changed ? kShortestWatchGap : kWatchTick) - since)) {
      case Woken::interrupted:
        return interrupted_code(watching, signals);
      case Woken::resized:
        measure(terminal);
        changed = true;
        break;
      case Woken::readable:
        LUZIA_TRY(take());
        break;
      case Woken::timeout:
        break;
    }
  }
}

/// Prints a line for each event that [status_updates] selects.
class PlainLines {
 public:
  PlainLines(bool json, const UpdateSettings& settings) : json_(json), filter_(settings) {}

  void add(const schema::Event& event) {
    if (!filter_.takes(event)) return;
    if (json_) {
      print_line(event_json(event));
      return;
    }
    const std::string time = local_clock(event.time_us());
    const std::string stream = event.stream() == nullptr ? "" : event.stream()->str();
    const std::string job = stream.rfind("job/", 0) == 0 ? stream.substr(4) : stream;
    print_line(time + " " + make_harmless(job) + " " + make_harmless(event_text(event)));
  }

 private:
  bool json_;
  UpdateFilter filter_;
};

/// Prints each question and approval once: the events only say that there is one.
class AskedLines {
 public:
  void report(const AskedNow& asked, TimeUs now) {
    for (const view::Question* question : asked.questions) {
      report_one(text(question->job()), text(question->id()), asked_text(*question, false), now);
    }
    for (const view::Approval* approval : asked.approvals) {
      report_one(text(approval->job()), text(approval->id()), asked_text(*approval, false), now);
    }
  }

 private:
  void report_one(std::string_view job, std::string_view id, const std::string& words, TimeUs now) {
    if (job.empty() || !reported_.emplace(id).second) return;
    print_line(local_clock(now) + " " + make_harmless(job) + " asks: " + words);
  }
  std::set<std::string, std::less<>> reported_;
};

Result<int> watch_in_lines(Invocation& invocation, Watching& watching) {
  PlainLines lines(invocation.json(), update_settings(invocation));
  for (const view::Job* job : watching.jobs()) {
    const std::string why = end_text(*job);
    const std::string line = job->id()->str() + " " + std::string(state_name(job->state())) +
                             (why.empty() ? "" : " (" + make_harmless(why) + ")");
    print_line(invocation.json() ? job_json(*job, invocation.now()) : line);
  }
  AskedLines asked;
  const auto report_asked = [&] {
    if (!invocation.json()) asked.report(watching.asked(), invocation.now());
    std::fflush(stdout);
  };
  report_asked();
  const Signals signals;
  Position heard = 0;
  const auto take = [&]() -> Status {
    const auto each = [&](const schema::Event& event) {
      heard = std::max(heard, event.position());
      lines.add(event);
    };
    Status taken = take_frames(watching, each, print);
    std::fflush(stdout);
    return taken;
  };
  while (!watching.over()) {
    // Query the rows again if they are older than the last event: they may not reflect it yet.
    const bool behind = heard > watching.position();
    if (signals.wait(watching.client(), behind ? kShortestWatchGap : milliseconds(-1)) ==
        Woken::interrupted) {
      return interrupted_code(watching, signals);
    }
    LUZIA_TRY(take());
    if (heard <= watching.position()) continue;
    LUZIA_TRY(watching.look());
    report_asked();
    // The client may have buffered events that arrived before the answer to the query.
    LUZIA_TRY(take());
  }
  return watching.all() ? 0 : watching.exit_code();
}

/// Output of named jobs, unless somebody wants less. JSON consists of events.
bool shows_output(Invocation& invocation, const Watching& watching) {
  const bool quiet = invocation.args().has("quiet-output") ||
                     update_settings(invocation).verbosity == UpdateSettings::Verbosity::quiet;
  return !watching.all() && !invocation.json() && !quiet;
}

Result<int> watch_jobs(Invocation& invocation) {
  Watching watching(invocation);
  if (shows_output(invocation, watching)) {
    const Terminal& terminal = invocation.terminal();
    watching.show_output({.unicode = terminal.unicode, .colours = terminal.colour, .ends = true});
  }
  LUZIA_TRY(watching.open());
  return draws_picture(invocation) ? watch_on_terminal(invocation, watching)
                                   : watch_in_lines(invocation, watching);
}

Result<int> run_watch(Invocation& invocation) {
  LUZIA_TRY(check_watch_filters(invocation));
  return run_where_it_is(invocation, [&] { return watch_jobs(invocation); });
}

}  // namespace

const Command kWatchCommand = {
    "watch",
    "Look",
    "[JOB...] | --all [filters]",
    "watch jobs live, with progress, until they end",
    "Shows the output of named jobs as tail -f does, in its colors but harmless, and below it their state "
    "and progress; --quiet-output, or verbosity = \"quiet\", leaves the output out. On a terminal the "
    "display is redrawn in place; with --all running jobs come first and the queue last. Elsewhere each "
    "change is a line, between the lines of output. [status_updates] sets how much is shown and in which "
    "progress steps; --json ignores it, and prints events alone. A question of a named job is shown with "
    "its choices. The exit code is 1 if a named job did not complete, as for luzia wait.",
    "luzia watch @last\n"
    "luzia watch @last --quiet-output\n"
    "luzia watch --all\n"
    "luzia watch $a $b | tee watch.log",
    kWatchOptions,
    {0, -1, Completes::job},
    run_watch,
    kNeedsStore,
    "it shows what happens from now on\nluzia jobs and luzia events take it"};

}  // namespace luzia
