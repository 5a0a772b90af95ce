// search: finds words in tasks, outputs and solutions, those of the newest jobs first.
#include <re2/re2.h>

#include <deque>
#include <future>
#include <memory>
#include <optional>
#include <utility>

#include "engine/base/counted.h"
#include "engine/base/local_time.h"
#include "engine/base/shell_quote.h"
#include "engine/base/try.h"
#include "projections/rows/learning_rows.h"
#include "projections/rows/names.h"
#include "tools/luzia/families.h"
#include "tools/luzia/look/output_search.h"
#include "tools/read/found_line.h"
#include "tools/read/listing.h"

namespace luzia {
namespace {

constexpr std::size_t kUsualLinesFound = 100;
constexpr std::uint32_t kLinesOfOneJob = 10, kMostLinesOfOneJob = 1'000;
// The next page is read while the outputs of this one are searched.
constexpr std::uint32_t kJobsOfOnePage = 100;
/// Jobs whose tasks have the words, behind one whose output is being searched.
constexpr std::size_t kMostWaiting = 200;

/// What a job has of the words.
struct FoundJob {
  std::string id, project, agent, task, state;
  std::uint32_t attempts = 0;
  TimeUs queued_us = 0;
  bool in_task = false, has_output = false;
  OutputAnswer output = {};
};

class Search {
 public:
  /// `bad_pattern` (usage).
  static Result<std::unique_ptr<Search>> of(Session& session) {
    const Arguments& args = session.invocation().args();
    auto search = std::make_unique<Search>(session);
    search->words_ = args.positionals().front();
    search->expression_ = args.has("regex");
    re2::RE2::Options options;
    options.set_case_sensitive(false);
    options.set_log_errors(false);
    const std::string pattern = search->expression_ ? search->words_ : re2::RE2::QuoteMeta(search->words_);
    const std::string lines = "(?m)";
    search->matcher_ = std::make_unique<re2::RE2>(lines + pattern, options);
    if (search->matcher_->ok()) return search;
    std::string why = search->matcher_->error();
    if (const std::size_t at = why.find(lines); at != std::string::npos) why.erase(at, lines.size());
    return fail(ErrorKind::usage, "bad_pattern", "the expression cannot be used: " + why);
  }
  explicit Search(Session& session)
      : session_(session),
        lines_left_(session.options().limit.value_or(kUsualLinesFound)),
        is_endless_(lines_left_ == 0) {}

  Result<int> run() {
    if (words_.empty()) return fail(ErrorKind::usage, "bad_words", "name the words to find");
    Source* const source = LUZIA_TRY(session_.source());
    auto client = LUZIA_TRY(session_.invocation().connect());
    const bool one_job = session_.options().filter.jobs.size() == 1;
    OutputSearch outputs(client, words_, expression_, one_job ? kMostLinesOfOneJob : kLinesOfOneJob);
    wire::QueryT query = session_.query(wire::View::jobs);
    query.filter->ended = true;
    query.limit = kJobsOfOnePage;
    auto page = LUZIA_TRY(source->query(query));
    while (true) {
      query.cursor = page.next;
      // Meanwhile the daemon would be waiting. Only where no thread can be made it is asked later.
      std::future<Result<RowPage>> next;
      if (!page.next.empty()) next = std::async([&] { return source->query(query); });
      for (const view::Job* job : LUZIA_TRY(rows_of<view::Job>(page))) LUZIA_TRY(look_at(*job, outputs));
      if (!next.valid() || !goes_on()) break;
      LUZIA_TRY(outputs.flush());
      page = LUZIA_TRY(next.get());
    }
    while (!jobs_.empty() && goes_on()) LUZIA_TRY(take_first(outputs));
    LUZIA_TRY(search_solutions(*source));
    LUZIA_TRY(finish());
    return any_ ? 0 : 1;
  }

 private:
  bool goes_on() const { return is_endless_ || lines_left_ > 0; }
  bool is_json() const { return session_.options().format == Format::json; }
  bool matches(std::string_view text) const {
    return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *matcher_);
  }

  /// Takes jobs until another one may wait. Those that wait for no output before them are taken at once.
  Status make_room(OutputSearch& outputs) {
    while (goes_on() && !jobs_.empty()) {
      const bool has_room = outputs.has_room() && jobs_.size() < kMostWaiting;
      if (has_room && jobs_.front().has_output) return {};
      LUZIA_TRY(take_first(outputs));
    }
    return {};
  }

  Status look_at(const view::Job& row, OutputSearch& outputs) {
    LUZIA_TRY(make_room(outputs));
    if (!goes_on()) return {};
    FoundJob job{std::string(text(row.id())), std::string(text(row.project())),
                 std::string(text(row.agent())), std::string(text(row.task())),
                 std::string(state_name(row.state()))};
    job.attempts = row.attempts();
    job.queued_us = row.queued_us();
    job.in_task = matches(job.task);
    // The row of a running job may be behind its output.
    job.has_output = row.output_bytes() > 0 || !is_terminal(row.state());
    ++searched_;
    const bool in_past = session_.invocation().args().has("at");
    if (job.attempts == 0 || (in_past && row.output_bytes() == 0)) job.has_output = false;
    if (job.has_output) LUZIA_TRY(outputs.ask({job.id, job.attempts, in_past ? row.output_bytes() : 0}));
    if (job.has_output || job.in_task) jobs_.push_back(std::move(job));
    return {};
  }

  Status take_first(OutputSearch& outputs) {
    FoundJob job = std::move(jobs_.front());
    jobs_.pop_front();
    if (job.has_output) job.output = LUZIA_TRY(outputs.next([&] { return session_.console().flush(); }));
    if (job.output.unread && !first_unread_) first_unread_ = job.output.unread;
    unread_ += job.output.unread ? 1 : 0;
    auto& lines = job.output.lines;
    if (!is_endless_ && lines.size() > lines_left_) {
      lines.resize(lines_left_);
      job.output.more = true;
    }
    if (!job.in_task && lines.empty()) return {};
    any_ = true;
    lines_left_ -= std::min(lines_left_, std::max<std::size_t>(lines.size(), 1));
    if (!is_json()) return session_.console().write(text_of(job));
    const char* const before = std::exchange(shown_before_, true) ? "," : R"({"jobs":[)";
    return session_.console().write(before + json_of(job));
  }

  /// Where the match ends: the daemon says only where it begins.
  std::size_t match_size(const wire::FoundLineT& line) const {
    if (!expression_) return words_.size();
    const std::string_view rest = parts_of(line, ~std::size_t{0} >> 1).match;
    re2::StringPiece match;
    const bool found = matcher_->Match(re2::StringPiece(rest.data(), rest.size()), 0, rest.size(),
                                       re2::RE2::ANCHOR_START, &match, 1);
    return found ? match.size() : 0;
  }

  std::string json_of(const FoundJob& job) const {
    JsonObject object;
    object.text("id", job.id);
    object.text("project", job.project);
    object.text("agent", job.agent);
    object.text("task", job.task);
    object.text("state", job.state);
    object.number("attempts", job.attempts);
    object.number("queued_us", job.queued_us);
    object.boolean("in_task", job.in_task);
    object.array("lines", job.output.lines,
                 [this](const auto& line) { return found_line_json(*line, match_size(*line)); });
    object.boolean("more", job.output.more);
    return object.take();
  }

  std::string text_of(const FoundJob& job) {
    const TableStyle style = session_.console().style();
    const HarmlessOptions harmless{.keep_newlines = false, .keep_tabs = false, .unicode = style.unicode};
    const auto shown = [&](std::string_view text) {
      const bool has_marks = text.find('\x1b') != std::string_view::npos;
      return has_marks ? make_harmless(without_terminal_marks(text), harmless)
                       : make_harmless(text, harmless);
    };
    const std::size_t width = style.width == 0 ? ~std::size_t{0} : style.width;
    std::string text = shown_before_ ? "\n" : "";
    shown_before_ = true;
    std::string head =
        job.id + "  " + shown(job.project) + "  " + job.state + "  " + local_time(job.queued_us);
    text += coloured(head, Colour::bold, style.colour) + "\n";
    text += "  " + fit_width(shown(job.task), width - 2, style.unicode) + "\n";
    for (const auto& line : job.output.lines) {
      const std::string offset = std::to_string(line->offset) + ": ";
      if (style.width == 0 && !style.colour) {
        text.append("    ").append(offset).append(shown(as_text(line->text))).append("\n");
        continue;
      }
      const FoundLineParts parts = parts_of(*line, match_size(*line));
      // The match is seen also in a line that is wider than the terminal.
      const std::string match = fit_width(shown(parts.match), width - 12, style.unicode);
      const std::string after = shown(parts.after);
      const std::size_t room = width - std::min(width, 4 + offset.size() + display_width(match));
      const std::string before = fit_end(shown(parts.before), room / 2, style.unicode);
      const std::size_t left = room - std::min(room, display_width(before));
      text += "    " + offset + before + coloured(match, Colour::red, style.colour) +
              fit_width(after, left, style.unicode) + "\n";
    }
    if (job.output.more) {
      text += "    more of it: luzia search " + shell_quote(words_) + (expression_ ? " --regex" : "") +
              " --job " + job.id + " --limit 0\n";
    }
    if (!job.output.lines.empty() && example_.empty())
      example_ = "luzia logs " + job.id + " --at-byte " + std::to_string(job.output.lines.front()->offset);
    return text;
  }

  /// What was learned has no jobs: with a filter for these it is left out.
  Status search_solutions(Source& source) {
    const wire::FilterT& filter = session_.options().filter;
    const bool for_jobs = !filter.jobs.empty() || !filter.agents.empty() || !filter.states.empty() ||
                          !filter.tags.empty() || !filter.schedules.empty() ||
                          session_.invocation().args().has("at");
    if (expression_ || for_jobs) return {};
    wire::QueryT query = session_.query(wire::View::solutions);
    query.cursor.clear();
    query.text = words_;
    query.limit = kLinesOfOneJob;
    const auto page = LUZIA_TRY(source.query(query));
    for (const view::Solution* row : LUZIA_TRY(rows_of<view::Solution>(page))) {
      const std::string all = std::string(text(row->problem())) + "\n" + std::string(text(row->text()));
      if (!matches(all)) continue;
      any_ = true;
      if (is_json()) {
        solutions_.push_back(solution_json(*row));
      } else {
        const TableStyle style = session_.console().style();
        const HarmlessOptions harmless{.keep_newlines = false, .keep_tabs = false, .unicode = style.unicode};
        LUZIA_TRY(session_.console().write(
            coloured("\nsolution " + std::string(text(row->id())), Colour::bold, style.colour) + "  " +
            make_harmless(text(row->problem()), harmless) + "\n  " +
            make_harmless(text(row->text()), harmless) + "\n"));
      }
    }
    return {};
  }

  Status finish() {
    Console& console = session_.console();
    if (unread_ != 0) {
      console.say("the output of " + counted(unread_, "job") + " could not be searched (" +
                  first_unread_->message + ")");
    }
    if (is_json()) {
      std::string rest;
      JsonObject object(rest);
      object.array("solutions", solutions_, [](const std::string& each) { return each; });
      object.number("searched", searched_);
      object.boolean("over", goes_on());
      object.end();
      rest.front() = ',';
      return console.write_line((shown_before_ ? "]" : R"({"jobs":[])") + rest);
    }
    if (!any_) console.say("nothing in " + counted(searched_, "job"));
    if (!goes_on()) console.say("there may be more: --limit 0 shows all");
    if (!example_.empty() && console.is_terminal()) console.say("a line with what is around it: " + example_);
    return {};
  }

  Session& session_;
  std::string words_, example_;
  bool expression_ = false;
  std::unique_ptr<re2::RE2> matcher_;
  std::size_t lines_left_;
  bool is_endless_, any_ = false, shown_before_ = false;
  std::deque<FoundJob> jobs_;
  std::vector<std::string> solutions_;
  std::size_t searched_ = 0, unread_ = 0;
  std::optional<Error> first_unread_;
};

Result<int> run_search(Session& session) {
  const auto search = LUZIA_TRY(Search::of(session));
  return search->run();
}

constexpr Option kSearchOptions[] = {
    {"-e,--regex", ValueKind::flag, "", "the words are an expression (RE2); ^ and $ are the ends of a line"},
    kJobFilter,
    kProjectFilter,
    kAgentFilter,
    kTagFilter,
    kScheduleFilter,
    kStateFilter,
    kSinceFilter,
    kUntilFilter,
    {"-n,--limit", ValueKind::number, "N", "show at most N lines, 0 for all (default 100)"},
    kAtOption,
};

}  // namespace

const Command kSearchCommand = {
    "search",
    "Look",
    "WORDS [--regex] [filters] [--limit N]",
    "find words in tasks, outputs and solutions, newest jobs first",
    "The words are found as they stand, without regard to the case of letters. Each line begins with the "
    "byte of the output where they stand: luzia logs JOB --at-byte N shows it with what is around it. Of "
    "each job the first 10 lines are shown, of a job that is named 1,000. Exit code 1: nothing was found. "
    "Outputs that were removed cannot be searched; of a task the first 4 KiB are.",
    "luzia search 'connection refused'\n"
    "luzia search --regex 'test_\\w+ failed' --since 8h\n"
    "luzia search TypeError --project web --state failed --json",
    kSearchOptions,
    {1, 1},
    reading<run_search>,
    kNeedsStore};

}  // namespace luzia
