// play: plays back a job's events and output at the original pace, or another speed.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "engine/base/local_time.h"
#include "engine/base/try.h"
#include "projections/rows/event_text.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json.h"
#include "projections/rows/names.h"
#include "projections/rows/times.h"
#include "tools/luzia-query/commands.h"
#include "tools/read/pages.h"

namespace luzia {
namespace {

constexpr TimeUs kDefaultMaxGap = 2 * kSecondUs;

/// Waits for the time between two events, divided by the speed.
class Pace {
 public:
  Pace(const Options& options, bool waits)
      : speed_(options.speed),
        max_gap_us_(options.max_gap_us == 0 ? kDefaultMaxGap : options.max_gap_us),
        waits_(waits) {}

  bool waits() const { return waits_; }
  void wait_until(TimeUs time) {
    const TimeUs gap = last_ == 0 ? 0 : time - last_;
    last_ = time;
    if (!waits_ || gap <= 0) return;
    const auto scaled = static_cast<TimeUs>(static_cast<double>(gap) / speed_);
    std::this_thread::sleep_for(std::chrono::microseconds(std::min(scaled, max_gap_us_)));
  }

 private:
  double speed_;
  TimeUs max_gap_us_;
  bool waits_;
  TimeUs last_ = 0;
};

/// The output of a job's attempts, printed as far as the events say that it existed.
class PlayedOutput {
 public:
  /// `folder`: the job's directory; files of earlier attempts are in attempt-N below it.
  PlayedOutput(std::string folder, std::uint32_t attempts)
      : folder_(std::move(folder)), attempts_(attempts) {}
  ~PlayedOutput() { close_file(); }
  PlayedOutput(const PlayedOutput&) = delete;
  PlayedOutput& operator=(const PlayedOutput&) = delete;

  void withhold(Console& console, std::string_view why) {
    withheld_ = true;
    console.say(why);
  }

  /// Holds a range of output that was read at once. Findings in it follow as events; show_before() prints the
  /// lines up to each finding, so that it appears right after its line.
  void hold(const schema::OutputAppended& read) { held_ = Held{read.attempt(), read.from(), read.to()}; }
  /// Prints the held lines up to the line in which this event was found; all of them, if it was not found in
  /// the output.
  Status show_before(const schema::Event& event, Console& console) {
    if (is_attempt_end(event)) return show_rest(console);
    if (!held_) return {};
    const auto* evidence = event.evidence();
    const bool is_of_it = evidence != nullptr && evidence->kind() == schema::EvidenceKind::inferred &&
                          evidence->attempt() == held_->attempt &&
                          evidence->log_from() < evidence->log_to() && evidence->log_to() <= held_->to;
    if (!is_of_it) return show_held(console);
    const std::uint64_t line_end = std::min(evidence->log_to() + 1, held_->to);
    if (line_end <= held_->from) return {};
    return show(held_->attempt, std::exchange(held_->from, line_end), line_end, console);
  }
  /// Prints everything held, and an unfinished last line.
  Status show_rest(Console& console) {
    LUZIA_TRY(show_held(console));
    if (rest_.empty()) return {};
    return console.write(line_text(std::exchange(rest_, {}), console.style()));
  }

 private:
  static constexpr std::size_t kLongestLine = 64 * 1024;

  struct Held {
    std::uint32_t attempt;
    std::uint64_t from, to;
  };

  static bool is_attempt_end(const schema::Event& event) {
    const auto* job = event.payload_as_JobEvent();
    return job != nullptr && job->fact_as_AttemptEnded() != nullptr;
  }

  Status show_held(Console& console) {
    if (!held_) return {};
    const Held held = *std::exchange(held_, std::nullopt);
    return show(held.attempt, held.from, held.to, console);
  }

  /// Prints the complete lines up to byte `to` of the attempt's file, each after a bar.
  Status show(std::uint32_t attempt, std::uint64_t from, std::uint64_t to, Console& console) {
    if (withheld_) return {};
    if (attempt != attempt_) open_file(attempt, console);
    if (fd_ < 0) return {};
    if (rest_.empty()) shown_to_ = from;
    while (shown_to_ < to) {
      char piece[64 * 1024];
      const std::size_t size = std::min<std::uint64_t>(sizeof piece, to - shown_to_);
      const ssize_t got = pread(fd_, piece, size, static_cast<off_t>(shown_to_));
      if (got <= 0) return {};  // the file is shorter than it was
      shown_to_ += static_cast<std::uint64_t>(got);
      rest_.append(piece, static_cast<std::size_t>(got));
      LUZIA_TRY(write_lines(console));
    }
    return {};
  }

  void close_file() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

  void open_file(std::uint32_t attempt, Console& console) {
    close_file();
    attempt_ = attempt;
    rest_.clear();
    const std::string below = attempt < attempts_ ? "/attempt-" + std::to_string(attempt) : "";
    const std::string path = folder_ + below + "/output.log";
    fd_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat status {};
    if (fd_ >= 0 && (fstat(fd_, &status) != 0 || !S_ISREG(status.st_mode))) close_file();
    if (fd_ < 0) console.say(path + " cannot be read: this attempt is played without output");
  }

  Status write_lines(Console& console) {
    std::size_t begin = 0;
    std::string text;
    for (std::size_t end; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1) {
      text += line_text(std::string_view(rest_).substr(begin, end - begin), console.style());
    }
    rest_.erase(0, begin);
    if (rest_.size() > kLongestLine) {
      text += line_text(rest_, console.style());
      rest_.clear();
    }
    return text.empty() ? Status() : console.write(text);
  }

  static std::string line_text(std::string_view line, const TableStyle& style) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    std::string shown = make_harmless(without_terminal_marks(line), {.unicode = style.unicode});
    if (style.width > 16) shown = fit_width(shown, style.width - 15, style.unicode);
    return "              " + coloured(style.unicode ? "│" : "|", Colour::dim, style.colour) + shown + "\n";
  }

  std::string folder_;
  std::uint32_t attempts_;
  std::uint32_t attempt_ = 0;
  int fd_ = -1;
  bool withheld_ = false;
  std::uint64_t shown_to_ = 0;
  std::string rest_;  // the beginning of an unfinished line
  std::optional<Held> held_;
};

const schema::OutputAppended* appended(const schema::Event& event) {
  const auto* output = event.payload_as_OutputEvent();
  return output != nullptr ? output->fact_as_OutputAppended() : nullptr;
}

bool gives_secrets(const schema::Event& event) {
  const auto* job = event.payload_as_JobEvent();
  const auto* queued = job != nullptr ? job->fact_as_JobQueued() : nullptr;
  return queued != nullptr && queued->spec() != nullptr && queued->spec()->secrets() != nullptr &&
         queued->spec()->secrets()->size() > 0;
}

Status play_event(const schema::Event& event, Console& console) {
  const TableStyle& style = console.style();
  std::string line = make_harmless(event_text(event), {.unicode = style.unicode});
  const std::string clock = local_clock(event.time_us(), TimePart::millisecond);
  const std::size_t indent = clock.size() + 2;
  if (style.width > indent + 2) line = fit_width(line, style.width - indent, style.unicode);
  return console.write_line(coloured(clock, Colour::dim, style.colour) + "  " + line);
}

Result<view::JobT> job_to_play(Session& session, Source& source) {
  wire::QueryT query = session.query(wire::View::jobs);
  query.filter->jobs = {session.options().name};
  query.filter->ended = true;
  const auto page = LUZIA_TRY(source.query(query));
  const auto jobs = LUZIA_TRY(rows_of<view::Job>(page));
  if (jobs.empty())
    return fail(ErrorKind::not_found, "no_such_job", "no job '" + session.options().name + "'");
  view::JobT job;
  jobs.front()->UnPackTo(&job);
  return job;
}

Status play(Session& session, Source& source, const view::JobT& job) {
  Console& console = session.console();
  const bool json = session.options().format == Format::json;
  Pace pace(session.options(), !json && console.is_terminal());
  PlayedOutput output(job.dir, job.attempts);
  wire::QueryT query = session.query(wire::View::events);
  query.filter->jobs = {job.id};
  if (!json && job.files_gone_us != 0) {
    output.withhold(console, "it is played without its output, which was " +
                                 files_gone_text(job.files_gone_us, job.files_gone_rule));
  }
  const Status shown = visit_pages(source, std::move(query), 0, [&](const RowPage& page) -> Status {
    const auto events = LUZIA_TRY(events_of(page));
    for (const schema::Event* event : events) {
      // Nothing here knows the values of the job's secrets, which its output may show.
      if (!json && gives_secrets(*event)) {
        output.withhold(
            console, "the job has secrets: it is played without output, which luzia logs shows without them");
      }
      // Before the wait: held output is older than this event.
      Status shown = output.show_before(*event, console);
      if (shown && pace.waits()) shown = console.flush();
      if (!shown) return shown;
      pace.wait_until(event->time_us());
      if (json) {
        shown = console.write_line(event_json(*event));
      } else if (const auto* read = appended(*event)) {
        output.hold(*read);
      } else {
        shown = play_event(*event, console);
      }
      if (shown && pace.waits()) shown = console.flush();
      if (!shown) return shown;
    }
    return {};
  });
  return shown ? output.show_rest(console) : shown;
}

}  // namespace

Result<int> run_play(Session& session) {
  Source* const source = LUZIA_TRY(session.source());
  const auto job = LUZIA_TRY(job_to_play(session, *source));
  LUZIA_TRY(play(session, *source, job));
  return 0;
}

}  // namespace luzia
