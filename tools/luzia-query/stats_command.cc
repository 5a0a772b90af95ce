// stats: totals per project and durations.
#include "projections/rows/stats.h"
#include "tools/luzia-query/commands.h"
#include "tools/luzia-query/pages.h"

namespace luzia {

Result<int> run_stats(Session& session) {
  auto source = session.source();
  if (!source) return tl::unexpected(source.error());
  Console& console = session.console();
  RowPage totals;
  // Totals are counted per project: those of one agent are not known.
  if (session.options().filter.agents.empty()) {
    auto page = collect_pages(**source, session.query(wire::View::totals), 0);
    if (!page) return tl::unexpected(page.error());
    totals = std::move(*page);
  } else {
    console.say("totals are counted per project, not per agent: only durations are shown");
  }
  const auto durations = collect_pages(**source, session.query(wire::View::durations), 0);
  if (!durations) return tl::unexpected(durations.error());
  auto projects = rows_of<view::ProjectTotals>(totals);
  if (!projects) return tl::unexpected(projects.error());
  auto measures = rows_of<view::Durations>(*durations);
  if (!measures) return tl::unexpected(measures.error());

  const Stats stats{std::move(*projects), std::move(*measures), durations->position};
  Status written;
  switch (session.options().format) {
    case Format::json:
      written = console.write_line(stats_json(stats));
      break;
    case Format::csv:
      written = console.write(stats_data(stats).csv());
      break;
    case Format::table:
      written = console.write(stats_text(stats, console.style()));
      if (stats.projects.empty() && stats.durations.empty()) console.say("no jobs yet");
      if (!session.options().at.is_now()) {
        console.say("as of position " + std::to_string(stats.position));
      }
      break;
  }
  if (!written) return tl::unexpected(written.error());
  return 0;
}

}  // namespace luzia
