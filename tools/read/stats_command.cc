// stats: totals and durations per project; with --by, outcomes of jobs by group.
#include "engine/base/counted.h"
#include "engine/base/try.h"
#include "projections/rows/answer_statistics.h"
#include "projections/rows/outcome_rows.h"
#include "projections/rows/stats.h"
#include "tools/read/commands.h"
#include "tools/read/listing.h"

namespace luzia {
namespace {

OutcomesBy outcomes_by(std::string_view name) {
  if (name == "agent") return OutcomesBy::agent;
  if (name == "model") return OutcomesBy::model;
  if (name == "reason") return OutcomesBy::reason;
  return name == "day" ? OutcomesBy::day : OutcomesBy::project;
}

/// Jobs whose end says nothing about success.
struct LeftOut {
  std::uint64_t killed = 0, without_result = 0;
};

/// Explains SUCCESS if it leaves out jobs.
void report_left_out(Console& console, const LeftOut& left_out) {
  const std::string killed = counted(left_out.killed, "killed job");
  const std::string without_result =
      counted(left_out.without_result, "job without a result", "jobs without a result");
  if (left_out.killed + left_out.without_result == 0) return;
  const std::string both = left_out.killed == 0           ? without_result
                           : left_out.without_result == 0 ? killed
                                                          : killed + " and " + without_result;
  console.say("SUCCESS counts jobs that completed, failed, timed out or were lost; it leaves out " + both);
}

LeftOut left_out_of(const std::vector<OutcomeStatistic>& statistics) {
  LeftOut all;
  for (const OutcomeStatistic& row : statistics) {
    all.killed += row.killed;
    all.without_result += row.without_result();
  }
  return all;
}

/// How people answered, from all requests that the filter selects.
Result<std::vector<AnswerStatistic>> answers_of(Session& session, AnswersBy by, Position& position) {
  Source* const source = LUZIA_TRY(session.source());
  const auto query = [&](wire::View view) {
    wire::QueryT asked = session.query(view);
    asked.filter->ended = true;
    return asked;
  };
  const auto questions = LUZIA_TRY(collect_pages(*source, query(wire::View::questions), 0));
  const auto approvals = LUZIA_TRY(collect_pages(*source, query(wire::View::approvals), 0));
  const TimeUs now = LUZIA_TRY(session.seen_until());
  const auto asked = LUZIA_TRY(rows_of<view::Question>(questions));
  const auto requested = LUZIA_TRY(rows_of<view::Approval>(approvals));
  position = questions.position;
  return answer_statistics(asked, requested, by, now);
}

Result<int> run_answers(Session& session) {
  RowPage page;
  auto answers = LUZIA_TRY(answers_of(session, AnswersBy::person, page.position));
  const Sums<AnswerStatistic> sums{
      "answers",
      answer_statistic_json,
      [](const auto& rows, Form form) { return answer_statistics_table(rows, AnswersBy::person, form); },
      "nobody was asked",
      {}};
  arrange_sums(session, answers, sums);
  LUZIA_TRY(print_sums(session, page, answers, sums));
  return 0;
}

/// Below the outcomes of projects: how the questions of their jobs were answered.
Status print_answers_of_projects(Session& session) {
  Position position = 0;
  const auto answers = LUZIA_TRY(answers_of(session, AnswersBy::project, position));
  if (answers.empty()) return {};
  const Table table = answer_statistics_table(answers, AnswersBy::project);
  return session.console().write("\nQuestions and approvals\n" + table.text(session.console().style()));
}

constexpr const char* kNoJobEnded = "no job has ended";

Sums<OutcomeStatistic> sums_of_outcomes(OutcomesBy by) {
  return {"outcomes", outcome_statistic_json,
          [by](const auto& rows, Form form) { return outcome_statistics_table(rows, by, form); }, kNoJobEnded,
          [by](const auto& rows, const TableStyle& style) { return outcome_plot(rows, by, style); }};
}

std::vector<Column> fields_of_sums(std::string_view by) {
  if (by == "person") return answer_statistics_table({}, AnswersBy::person, Form::data).columns();
  if (by == "reason") return reason_statistics_table({}, Form::data).columns();
  return outcome_statistics_table({}, outcomes_by(by), Form::data).columns();
}

/// The outcomes of projects as JSON, and how the questions of their jobs were answered.
Result<int> print_projects_json(Session& session) {
  Source* const source = LUZIA_TRY(session.source());
  const auto page = LUZIA_TRY(collect_pages(*source, session.query(wire::View::outcomes), 0));
  const auto days = LUZIA_TRY(rows_of<view::OutcomeDay>(page));
  Position position = 0;
  const auto answers = LUZIA_TRY(answers_of(session, AnswersBy::project, position));
  JsonObject object;
  auto statistics = outcome_statistics(days, OutcomesBy::project);
  arrange_sums(session, statistics, sums_of_outcomes(OutcomesBy::project));
  object.array("outcomes", statistics, outcome_statistic_json);
  object.array("answers", answers, answer_statistic_json);
  object.number("position", page.position);
  object.at("next").null();
  LUZIA_TRY(session.console().write_line(object.take()));
  return 0;
}

Result<int> run_outcomes(Session& session) {
  if (session.options().plot && !session.options().columns.empty()) {
    return fail(ErrorKind::usage, "bad_usage", "--plot draws bars, which have no --columns",
                "leave one of them out");
  }
  if (session.options().by == "person") {
    if (!session.options().plot) return run_answers(session);
    return fail(ErrorKind::usage, "bad_usage", "--plot draws no answers of people", "leave --plot out");
  }
  const bool of_projects = session.options().by == "project" && !session.options().plot;
  if (of_projects && session.options().format == Format::json) return print_projects_json(session);
  const OutcomesBy by = outcomes_by(session.options().by);
  if (by == OutcomesBy::reason) {
    return run_sums<view::OutcomeDay, ReasonStatistic>(
        session, wire::View::outcomes, reason_statistics,
        {"reasons", reason_statistic_json, reason_statistics_table, kNoJobEnded, reason_plot});
  }
  LeftOut left_out;
  const auto add_up = [&](const auto& days) {
    auto statistics = outcome_statistics(days, by);
    left_out = left_out_of(statistics);
    return statistics;
  };
  const auto code = run_sums<view::OutcomeDay, OutcomeStatistic>(session, wire::View::outcomes, add_up,
                                                                 sums_of_outcomes(by));
  if (session.options().format == Format::table && !session.options().plot)
    report_left_out(session.console(), left_out);
  if (code && of_projects && session.options().format == Format::table && session.options().columns.empty())
    LUZIA_TRY(print_answers_of_projects(session));
  return code;
}

Result<RowPage> totals_of(Session& session, Source& source) {
  // Totals are kept per project only, so they cannot be filtered by agent.
  if (session.options().filter.agents.empty()) {
    return collect_pages(source, session.query(wire::View::totals), 0);
  }
  session.console().say("totals are counted per project, not per agent: only durations are shown");
  return RowPage{};
}

Status print_stats(Session& session, const Stats& stats) {
  Console& console = session.console();
  switch (session.options().format) {
    case Format::json:
      return console.write_line(stats_json(stats));
    case Format::csv:
      return console.write(stats_data(stats).csv());
    case Format::table:
      break;
  }
  Status written = console.write(stats_text(stats, console.style()));
  if (stats.projects.empty() && stats.durations.empty()) console.say("no jobs yet");
  LeftOut left_out;
  for (const view::ProjectTotals* totals : stats.projects) {
    left_out.killed += totals->killed();
    left_out.without_result += totals->skipped() + totals->cancelled();
  }
  report_left_out(console, left_out);
  if (!session.options().at.is_now()) console.say("as of position " + std::to_string(stats.position));
  return written;
}

Result<int> run_stats(Session& session) {
  const Options& options = session.options();
  if (!options.by.empty() || options.plot) return run_outcomes(session);
  if (options.filter.since_us != 0 || options.filter.until_us != 0) {
    return fail(ErrorKind::usage, "bad_usage", "totals cover all time, so --since and --until do not apply",
                "add --by day (or project, agent, model, reason)");
  }
  if (!options.sort.empty() || !options.columns.empty()) {
    return fail(ErrorKind::usage, "bad_usage", "--sort and --columns are about the rows of --by",
                "add --by project (or agent, model, reason, day, person)");
  }
  auto source = LUZIA_TRY(session.source());
  const auto totals = LUZIA_TRY(totals_of(session, *source));
  const auto durations = LUZIA_TRY(collect_pages(*source, session.query(wire::View::durations), 0));
  auto projects = LUZIA_TRY(rows_of<view::ProjectTotals>(totals));
  auto measures = LUZIA_TRY(rows_of<view::Durations>(durations));
  keep_first(projects, options.limit);
  keep_first(measures, options.limit);
  const Stats stats{std::move(projects), std::move(measures), durations.position};
  LUZIA_TRY(print_stats(session, stats));
  return 0;
}

constexpr Option kStatsOptions[] = {
    kProjectFilter,
    kAgentFilter,
    kSinceDay,
    kUntilFilter,
    kEndlessLimit,
    {"--plot", ValueKind::flag, "", "draw bars instead of a table"},
    {"--by", ValueKind::choice, "WHAT",
     "group by project, agent, model, reason or day; person: how questions and approvals were answered",
     "project|agent|model|reason|day|person"},
    kSortOption,
    kColumnsOption,
    kFleetOption,
    kSiteFilter,
    kAtOption,
    kCsvOption};

}  // namespace

const Command kStatsCommand = {
    "stats",
    "Add up",
    "[--by WHAT] [--plot] [--sort FIELD] [--columns FIELD,...] [filters] [--at TIME]",
    "show totals and durations by project; --by groups them differently",
    "The success rate is the share of completed jobs among those that completed, "
    "failed, timed out or were lost. Killed jobs and those without a result "
    "(skipped, cancelled, no longer watched) do not count. A tracked process that "
    "is gone counts as lost: nobody saw how it ended.",
    "luzia stats\n"
    "luzia stats --by project --since 30d\n"
    "luzia stats --by day --plot\n"
    "luzia stats --by reason --project web --json",
    kStatsOptions,
    {},
    reading<run_stats>,
    kNeedsStore,
    kSumsOfDays,
    {},
    {},
    fields_of_sums};

}  // namespace luzia
