// stats: totals per project and durations; with --by how jobs came out, added up.
#include "engine/base/counted.h"
#include "projections/rows/outcome_rows.h"
#include "projections/rows/stats.h"
#include "tools/luzia-query/commands.h"
#include "tools/luzia-query/listing.h"

namespace luzia {
namespace {

OutcomesBy outcomes_by(std::string_view name) {
  if (name == "agent") return OutcomesBy::agent;
  if (name == "model") return OutcomesBy::model;
  if (name == "reason") return OutcomesBy::reason;
  return name == "day" ? OutcomesBy::day : OutcomesBy::project;
}

/// How rows of one kind are shown.
template <class Statistic>
struct OutcomeShapes {
  std::string_view plural;
  std::string (*json)(const Statistic&);
  std::function<Table(const std::vector<Statistic>&, Form)> table;
  std::function<std::string(const std::vector<Statistic>&, const TableStyle&)> plot;
};

/// Where it changes what SUCCESS says.
void tell_killed(Console& console, std::uint64_t killed) {
  if (killed == 0) return;
  console.say("SUCCESS is of the jobs that were not killed; it leaves out " + counted(killed, "killed job"));
}

std::uint64_t killed_of(const std::vector<OutcomeStatistic>& statistics) {
  std::uint64_t killed = 0;
  for (const OutcomeStatistic& row : statistics) killed += row.killed;
  return killed;
}

template <class Statistic>
Status print_outcomes(Session& session, const RowPage& page, const std::vector<Statistic>& statistics,
                      const OutcomeShapes<Statistic>& shapes) {
  Console& console = session.console();
  switch (session.options().format) {
    case Format::json: {
      std::vector<std::string> objects;
      for (const Statistic& row : statistics) objects.push_back(shapes.json(row));
      return console.write_line(list_json(shapes.plural, objects, page.position, {}));
    }
    case Format::csv:
      return console.write(shapes.table(statistics, Form::data).csv());
    case Format::table:
      break;
  }
  if (statistics.empty()) console.say("no job has ended");
  tell_place(session, page);
  if (statistics.empty()) return {};
  return console.write(session.options().plot ? shapes.plot(statistics, console.style())
                                              : shapes.table(statistics, Form::people).text(console.style()));
}

Result<int> run_outcomes(Session& session) {
  auto source = session.source();
  if (!source) return tl::unexpected(source.error());
  const auto page = collect_pages(**source, session.query(wire::View::outcomes), 0);
  if (!page) return tl::unexpected(page.error());
  const auto days = rows_of<view::OutcomeDay>(*page);
  if (!days) return tl::unexpected(days.error());
  const OutcomesBy by = outcomes_by(session.options().by);
  Status printed;
  if (by == OutcomesBy::reason) {
    const OutcomeShapes<ReasonStatistic> shapes = {"reasons", reason_statistic_json, reason_statistics_table,
                                                   reason_plot};
    printed = print_outcomes(session, *page, reason_statistics(*days), shapes);
  } else {
    const OutcomeShapes<OutcomeStatistic> shapes = {
        "outcomes", outcome_statistic_json,
        [by](const auto& rows, Form form) { return outcome_statistics_table(rows, by, form); },
        [by](const auto& rows, const TableStyle& style) { return outcome_plot(rows, by, style); }};
    const auto statistics = outcome_statistics(*days, by);
    printed = print_outcomes(session, *page, statistics, shapes);
    const Options& options = session.options();
    if (options.format == Format::table && !options.plot) {
      tell_killed(session.console(), killed_of(statistics));
    }
  }
  if (!printed) return tl::unexpected(printed.error());
  return 0;
}

Result<RowPage> totals_of(Session& session, Source& source) {
  // Totals are counted per project: those of one agent are not known.
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
  std::uint64_t killed = 0;
  for (const view::ProjectTotals* totals : stats.projects) killed += totals->killed();
  tell_killed(console, killed);
  if (!session.options().at.is_now()) console.say("as of position " + std::to_string(stats.position));
  return written;
}

}  // namespace

Result<int> run_stats(Session& session) {
  const Options& options = session.options();
  if (!options.by.empty() || options.plot) return run_outcomes(session);
  if (options.filter.since_us != 0 || options.filter.until_us != 0) {
    return fail(ErrorKind::usage, "bad_usage", "totals are of all time",
                "with --by day (or project, agent, model, reason) stats take --since and --until");
  }
  auto source = session.source();
  if (!source) return tl::unexpected(source.error());
  const auto totals = totals_of(session, **source);
  if (!totals) return tl::unexpected(totals.error());
  const auto durations = collect_pages(**source, session.query(wire::View::durations), 0);
  if (!durations) return tl::unexpected(durations.error());
  auto projects = rows_of<view::ProjectTotals>(*totals);
  if (!projects) return tl::unexpected(projects.error());
  auto measures = rows_of<view::Durations>(*durations);
  if (!measures) return tl::unexpected(measures.error());
  const Stats stats{std::move(*projects), std::move(*measures), durations->position};
  if (Status printed = print_stats(session, stats); !printed) return tl::unexpected(printed.error());
  return 0;
}

}  // namespace luzia
