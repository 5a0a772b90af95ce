#include "tools/luzia-web/search.h"

#include <algorithm>

#include "engine/base/try.h"
#include "engine/base/whole_number.h"
#include "engine/base/words.h"
#include "projections/rows/learning_rows.h"
#include "projections/rows/step_statistics.h"
#include "tools/luzia-web/clock.h"
#include "tools/luzia-web/readings.h"
#include "tools/read/commands.h"
#include "tools/read/found_line.h"
#include "tools/read/listing.h"

namespace luzia::web {
namespace {

constexpr std::int64_t kSearchPatienceUs = 800'000;
constexpr std::size_t kTasksAtOnce = 20, kMostSearchWords = 1'024;
constexpr std::uint64_t kUsualSearchLines = 20, kMostSearchLines = 200;
constexpr std::uint32_t kLinesOfOneJob = 3;
constexpr const char* kJobsAtOnce = "--limit=50";

constexpr Option kWordsOption{"--words", ValueKind::text, "WORDS", "only what has all of these words"};

/// The words of a search; empty: none are given. `bad_words` (usage).
Result<std::string> words_of_search(const Session& session, bool needed) {
  std::string words = session.invocation().args().text("words");
  const bool none = words.find_first_not_of(' ') == std::string::npos;
  if (words.size() <= kMostSearchWords && !(needed && none)) return none ? std::string() : std::move(words);
  return fail(ErrorKind::usage, "bad_words",
              "words: what to find, 1 to " + std::to_string(kMostSearchWords) + " bytes");
}

Result<int> run_task_search(Session& session) {
  wire::QueryT query = session.query(wire::View::jobs);
  query.text = LUZIA_TRY(words_of_search(session, true));
  Source* const source = LUZIA_TRY(session.source());
  const std::size_t most = session.options().limit.value_or(kTasksAtOnce);
  const std::int64_t until = steady_us() + kSearchPatienceUs;
  RowPage found;
  do {
    query.limit = static_cast<std::uint32_t>(std::min<std::size_t>(most - found.rows.size(), kMaxLimit));
    auto page = LUZIA_TRY(source->query(query));
    found.type = page.type;
    found.position = page.position;
    found.next = query.cursor = page.next;
    std::ranges::move(page.rows, std::back_inserter(found.rows));
  } while (!found.next.empty() && found.rows.size() < most && steady_us() < until);
  const auto as_of = LUZIA_TRY(session.seen_until());
  const auto json = [as_of](const view::Job& job) { return job_json(job, as_of); };
  LUZIA_TRY(print_list<view::Job>(session, found, {"jobs", json, {}, {}}));
  return 0;
}

/// The texts of a row that are searched in the past.
std::string searched_text(const view::Solution& row) {
  std::string all = std::string(text(row.problem())) + "\n" + std::string(text(row.text()));
  for (std::uint32_t i = 0; row.tags() != nullptr && i < row.tags()->size(); ++i)
    all += "\n" + row.tags()->Get(i)->str();
  return all;
}

std::string searched_text(const view::Fact& row) {
  std::string all;
  for (const auto* part : {row.subject(), row.relation(), row.object(), row.context()})
    all.append(text(part)).append("\n");
  return all;
}

/// The daemon searches only what is known now.
template <class Row>
Result<RowPage> search_past(Session& session, wire::View view, std::string_view words) {
  Source* const source = LUZIA_TRY(session.source());
  auto page = LUZIA_TRY(collect_pages(*source, session.query(view), 0));
  const auto wanted = lower_words(words);
  std::erase_if(page.rows, [&](const std::string& bytes) {
    const Row* row = verified_row<Row>(as_bytes(bytes));
    return row == nullptr || !has_words(searched_text(*row), wanted);
  });
  keep_first(page.rows, session.options().limit.value_or(kDefaultLimit));
  return page;
}

template <class Row>
Result<int> run_learned(Session& session, wire::View view, std::string_view plural,
                        std::string (*json)(const Row&)) {
  const Shapes<Row> shapes{plural, json, {}, {}};
  wire::QueryT query = session.query(view);
  query.text = LUZIA_TRY(words_of_search(session, false));
  if (query.text.empty()) return run_list<Row>(session, view, [&](TimeUs) { return shapes; });
  RowPage page;
  if (query.at_position != 0 || query.at_time_us != 0) {
    page = LUZIA_TRY(search_past<Row>(session, view, query.text));
  } else {
    Source* const source = LUZIA_TRY(session.source());
    query.limit = static_cast<std::uint32_t>(session.options().limit.value_or(kDefaultLimit));
    page = LUZIA_TRY(source->query(query));
  }
  LUZIA_TRY(print_list(session, page, shapes));
  return 0;
}

Result<int> run_solutions_read(Session& session) {
  return run_learned<view::Solution>(session, wire::View::solutions, "solutions", solution_json);
}

Result<int> run_facts_read(Session& session) {
  return run_learned<view::Fact>(session, wire::View::facts, "facts", fact_json);
}

Result<int> run_todos_read(Session& session) {
  return run_list<view::Todo>(session, wire::View::todos, [](TimeUs) {
    return Shapes<view::Todo>{"todos", todo_json, {}, {}};
  });
}

/// The same as luzia flow statistics.
Result<int> run_steps_read(Session& session) {
  Source* const source = LUZIA_TRY(session.source());
  const RowPage flows = LUZIA_TRY(collect_pages(*source, session.history_query(wire::View::flows), 0));
  FlowCounts counts;
  const auto all = LUZIA_TRY(rows_of<view::Flow>(flows));
  for (const view::Flow* flow : all) counts.add(flow->state());
  const RowPage page = LUZIA_TRY(collect_pages(*source, session.query(wire::View::step_statistics), 0));
  const auto steps = LUZIA_TRY(rows_of<view::StepStatistic>(page));
  LUZIA_TRY(session.console().write_line(step_statistics_json(counts, steps, page.position)));
  return 0;
}

constexpr Option kTaskSearchOptions[] = {
    kWordsOption,      kProjectFilter,     kAgentFilter, kTagFilter,    kScheduleFilter,
    kModelFilter,      kStepFilter,        kStateFilter, kSinceFilter,  kUntilFilter,
    kEndedSinceFilter, kEndedBeforeFilter, kLimitOption, kCursorOption, kAtOption};
constexpr Option kSolutionsReadOptions[] = {kWordsOption, kProjectFilter, kLearnedTag,   kSinceFilter,
                                            kUntilFilter, kLimitOption,   kCursorOption, kAtOption};
constexpr Option kFactsReadOptions[] = {kWordsOption, kProjectFilter, kSinceFilter, kUntilFilter,
                                        kLimitOption, kCursorOption,  kAtOption};
constexpr Option kStepsReadOptions[] = {kProjectFilter, kAtOption};
constexpr Option kSchedulesReadOptions[] = {
    kProjectFilter,
    kScheduleFilter,
    {"-A,--all", ValueKind::flag, "", "also those that are no longer configured"},
    kLimitOption,
    kCursorOption,
    kAtOption};
constexpr Option kTodosReadOptions[] = {
    {"-A,--all", ValueKind::flag, "", "completed ones too"},
    kJobFilter,
    kProjectFilter,
    kAgentFilter,
    {"--state", ValueKind::todo_states, "STATE", "only these states: pending, in_progress, completed"},
    kSinceFilter,
    kUntilFilter,
    kLimitOption,
    kCursorOption,
    kAtOption};

/// The filters of a search as words of the command jobs.
Result<std::vector<std::string>> filters_of(const Request& request) {
  for (const std::string_view name : {"ended-since", "ended-before"}) {
    if (request.parameter(name) != nullptr)
      return no_such_filter("searching outputs", name,
                            "it goes through jobs in the order of their dispatch\nuse since and until");
  }
  Request filters = request;
  std::erase_if(filters.query, [](const auto& each) {
    return each.first == "words" || each.first == "limit" || each.first == "cursor" || each.first == "all";
  });
  auto words = LUZIA_TRY(words_of(kJobsCommand, filters));
  words.emplace_back("--all");
  words.emplace_back(kJobsAtOnce);
  return words;
}

class OutputSearch {
 public:
  OutputSearch(const DaemonDoor& door, std::string device, const Request& request, Unwanted unwanted)
      : door_(door),
        device_(std::move(device)),
        unwanted_(std::move(unwanted)),
        past_(request.parameter("at") != nullptr) {}

  Status run(const Request& request) {
    words_ = LUZIA_TRY(words_to_find(request));
    cursor_ = LUZIA_TRY(output_cursor_of(request));
    const auto filters = LUZIA_TRY(filters_of(request));
    const std::string* limit = request.parameter("limit");
    lines_left_ = limit == nullptr ? kUsualSearchLines : parse_whole_number(*limit).value_or(0);
    if (lines_left_ == 0 || lines_left_ > kMostSearchLines)
      return fail(ErrorKind::usage, "bad_value",
                  "limit: a number from 1 to " + std::to_string(kMostSearchLines));
    client_ = LUZIA_TRY(door_.connect_as(device_));
    while (goes_on()) {
      auto words = filters;
      if (!cursor_.behind.empty()) words.push_back("--cursor=" + cursor_.behind);
      const auto printed = LUZIA_TRY(run_command(place_at(door_, device_), kJobsCommand, words));
      const auto page = nlohmann::json::parse(printed, nullptr, false);
      if (!page.is_object() || !page.contains("jobs"))
        return fail(ErrorKind::trouble, "failed", "the read failed");
      for (const auto& job : page["jobs"]) {
        // At least one, so that the next request continues elsewhere.
        if (begun_ && !goes_on()) return {};
        begun_ = true;
        LUZIA_TRY(search(job));
      }
      over_ = !page["next"].is_string() && (cursor_.within.empty() || page["jobs"].empty());
    }
    return {};
  }

  Answer answer(const Request& request) const {
    Answer answer;
    JsonObject object(answer.body);
    object.array("jobs", jobs_, [](const std::string& job) { return job; });
    object.number("searched", searched_);
    object.number_or_null("back_to_us", back_to_us_);
    object.text_or_null("next", over_ ? std::string() : cursor_.text());
    object.end();
    answer.body += '\n';
    if (!over_) answer.headers.emplace_back("Link", next_page(request, cursor_.text()));
    return answer;
  }

 private:
  bool goes_on() const { return !over_ && lines_left_ > 0 && !*unwanted_ && steady_us() < until_us_; }

  /// Searches the output of one job, and moves the cursor behind what was searched.
  Status search(const nlohmann::json& job) {
    FindQuery asked;
    asked.job = job.value("id", "");
    asked.attempt = job.value("attempts", 0U);
    asked.words = words_;
    asked.limit = kLinesOfOneJob + 1;
    if (asked.job == cursor_.within) asked.from = cursor_.offset;
    const auto bytes = job.contains("output") ? job["output"].value("bytes", std::uint64_t{0}) : 0;
    if (past_) asked.until = bytes;
    Result<wire::FoundWordsT> found = wire::FoundWordsT();
    if (bytes != 0) found = find_words(client_.value(), asked, until_us_, unwanted_);
    if (!found && is_passing(found.error())) return tl::unexpected(found.error());
    // Other errors are of one output: it was removed, or is no file of the job's user.
    const bool whole = bytes == 0 || !found || found->over || found->lines.size() > kLinesOfOneJob;
    if (found && !found->lines.empty()) add(job, *found);
    back_to_us_ = job.value("queued_us", TimeUs{0});
    if (whole) {
      ++searched_;
      cursor_ = {asked.job, {}, 0};
    } else {
      cursor_ = {cursor_.behind, asked.job, found->reached};
    }
    return {};
  }

  void add(const nlohmann::json& job, const wire::FoundWordsT& found) {
    const auto text_of = [&](const char* key) {
      const auto value = job.find(key);
      return value != job.end() && value->is_string() ? value->get<std::string>() : std::string();
    };
    const std::size_t shown = std::min<std::size_t>({found.lines.size(), kLinesOfOneJob, lines_left_});
    JsonObject object;
    for (const char* key : {"id", "project", "agent", "task", "state"}) object.text(key, text_of(key));
    object.number("attempts", job.value("attempts", 0U));
    object.number("queued_us", job.value("queued_us", TimeUs{0}));
    object.array("lines", std::span(found.lines).first(shown),
                 [&](const auto& line) { return found_line_json(*line, words_.size()); });
    object.boolean("more", found.lines.size() > shown);
    jobs_.push_back(object.take());
    lines_left_ -= shown;
  }

  const DaemonDoor& door_;
  std::string device_;
  Unwanted unwanted_;
  bool past_;
  std::int64_t until_us_ = steady_us() + kSearchPatienceUs;
  std::string words_;
  OutputCursor cursor_;
  std::uint64_t lines_left_ = 0;
  std::optional<Client> client_;
  std::vector<std::string> jobs_;
  std::uint64_t searched_ = 0;
  TimeUs back_to_us_ = 0;
  bool begun_ = false, over_ = false;
};

constexpr Command read_of_api(std::string_view name, std::string_view about, std::span<const Option> options,
                              Result<int> (*run)(Invocation&)) {
  return {name, "Look", "[filters]", about, "", "", options, {0, 0}, run, kNeedsStore};
}

}  // namespace

const Command kTaskSearch =
    read_of_api("tasks", "find jobs by their tasks", kTaskSearchOptions, reading<run_task_search>);
const Command kSolutionsRead =
    read_of_api("solutions", "list solutions", kSolutionsReadOptions, reading<run_solutions_read>);
const Command kFactsRead = read_of_api("facts", "list facts", kFactsReadOptions, reading<run_facts_read>);
const Command kStepsRead =
    read_of_api("steps", "add up how steps of flows went", kStepsReadOptions, reading<run_steps_read>);
const Command kSchedulesRead =
    read_of_api("schedules", "list recurring jobs", kSchedulesReadOptions, reading<show_schedules>);
const Command kTodosRead = read_of_api("todos", "list todos", kTodosReadOptions, reading<run_todos_read>);

Result<OutputCursor> output_cursor_of(const Request& request) {
  OutputCursor cursor;
  const std::string* given = request.parameter("cursor");
  if (given == nullptr) return cursor;
  const std::size_t first = given->find('@'), second = first == std::string::npos ? first : given->rfind('@');
  cursor.behind = given->substr(0, first);
  if (first == std::string::npos) return cursor;
  const auto offset = parse_whole_number(std::string_view(*given).substr(second + 1));
  if (first == second || !offset)
    return fail(ErrorKind::usage, "bad_cursor", "this is no cursor of a search",
                "give the value of \"next\" of the page before");
  cursor.within = given->substr(first + 1, second - first - 1);
  cursor.offset = *offset;
  return cursor;
}

Answer search_outputs(const DaemonDoor& door, const std::string& device, const Match& /*match*/,
                      const Request& request, const Unwanted& unwanted) {
  OutputSearch search(door, device, request, unwanted);
  const Status done = search.run(request);
  return done ? search.answer(request) : problem(done.error());
}

}  // namespace luzia::web
