// tools and cost: what agents called, and what they used.
#include "projections/rows/usage_rows.h"
#include "tools/luzia-query/commands.h"
#include "tools/luzia-query/listing.h"

namespace luzia {
namespace {

UsageBy grouping(std::string_view name, UsageBy otherwise) {
  if (name == "tool") return UsageBy::tool;
  if (name == "agent") return UsageBy::agent;
  if (name == "model") return UsageBy::model;
  if (name == "project") return UsageBy::project;
  return name == "day" ? UsageBy::day : otherwise;
}

/// How sums are shown.
template <class Statistic>
struct Sums {
  std::string_view plural;  // key of the list in JSON
  std::string (*json)(const Statistic&);
  Table (*table)(const std::vector<Statistic>&, UsageBy, Form);
  std::string_view none;
};

template <class Statistic>
Status print(Session& session, const RowPage& page, const std::vector<Statistic>& statistics, UsageBy by,
             const Sums<Statistic>& sums) {
  Console& console = session.console();
  switch (session.options().format) {
    case Format::json: {
      std::vector<std::string> objects;
      for (const Statistic& row : statistics) objects.push_back(sums.json(row));
      return console.write_line(list_json(sums.plural, objects, page.position, {}));
    }
    case Format::csv:
      return console.write(sums.table(statistics, by, Form::data).csv());
    case Format::table:
      break;
  }
  if (statistics.empty()) console.say(sums.none);
  tell_place(session, page);
  if (statistics.empty()) return {};
  return console.write(sums.table(statistics, by, Form::people).text(console.style()));
}

template <class Day, class Statistic>
Result<int> run(Session& session, wire::View view, UsageBy by,
                std::vector<Statistic> (*add_up)(const std::vector<const Day*>&, UsageBy),
                const Sums<Statistic>& sums) {
  auto source = session.source();
  if (!source) return tl::unexpected(source.error());
  const auto page = collect_pages(**source, session.query(view), 0);
  if (!page) return tl::unexpected(page.error());
  const auto days = rows_of<Day>(*page);
  if (!days) return tl::unexpected(days.error());
  if (Status printed = print(session, *page, add_up(*days, by), by, sums); !printed) {
    return tl::unexpected(printed.error());
  }
  return 0;
}

}  // namespace

Result<int> run_tools(Session& session) {
  const Sums<ToolStatistic> sums = {"tools", tool_statistic_json, tool_statistics_table,
                                    "no tool was called"};
  return run<view::ToolDay, ToolStatistic>(
      session, wire::View::tools, grouping(session.options().by, UsageBy::each), tool_statistics, sums);
}

Result<int> run_cost(Session& session) {
  const Sums<CostStatistic> sums = {"costs", cost_statistic_json, cost_statistics_table,
                                    "no usage was reported"};
  return run<view::CostDay, CostStatistic>(
      session, wire::View::costs, grouping(session.options().by, UsageBy::model), cost_statistics, sums);
}

}  // namespace luzia
