// tools and cost: what agents called, and what they used.
#include "projections/rows/json_writer.h"
#include "projections/rows/spending_rows.h"
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

namespace {

/// {"costs":[...],"budgets":[...],"position","next"}.
std::string costs_json(const std::vector<CostStatistic>& costs,
                       const std::vector<const view::ProjectSpending*>& spending, TimeUs now,
                       Position position) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.key("costs");
  json.begin_array();
  for (const CostStatistic& row : costs) json.raw(cost_statistic_json(row));
  json.end_array();
  json.key("budgets");
  json.begin_array();
  for (const view::ProjectSpending* row : spending) json.raw(spending_json(*row, now));
  json.end_array();
  json.key("position");
  json.number(position);
  json.key("next");
  json.null();
  json.end_object();
  return out;
}

Status print_costs(Session& session, const RowPage& page, const std::vector<CostStatistic>& costs, UsageBy by,
                   const std::vector<const view::ProjectSpending*>& spending, TimeUs now) {
  Console& console = session.console();
  switch (session.options().format) {
    case Format::json:
      return console.write_line(costs_json(costs, spending, now, page.position));
    case Format::csv:
      return console.write(cost_statistics_table(costs, by, Form::data).csv());
    case Format::table:
      break;
  }
  if (costs.empty()) console.say("no usage was reported");
  tell_place(session, page);
  Status written;
  if (!costs.empty())
    written = console.write(cost_statistics_table(costs, by, Form::people).text(console.style()));
  const Table budgets = spending_table(spending, now);
  if (!written || budgets.empty()) return written;
  return console.write((costs.empty() ? "" : "\n") + budgets.text(console.style()));
}

}  // namespace

Result<int> run_cost(Session& session) {
  auto source = session.source();
  if (!source) return tl::unexpected(source.error());
  const auto as_of = session.as_of();
  if (!as_of) return tl::unexpected(as_of.error());
  const auto page = collect_pages(**source, session.query(wire::View::costs), 0);
  if (!page) return tl::unexpected(page.error());
  const auto days = rows_of<view::CostDay>(*page);
  if (!days) return tl::unexpected(days.error());
  wire::QueryT query = session.query(wire::View::spending);
  query.filter->since_us = query.filter->until_us = 0;  // it is of one day
  const auto spent = collect_pages(**source, query, 0);
  if (!spent) return tl::unexpected(spent.error());
  const auto spending = rows_of<view::ProjectSpending>(*spent);
  if (!spending) return tl::unexpected(spending.error());
  const UsageBy by = grouping(session.options().by, UsageBy::model);
  if (Status printed = print_costs(session, *page, cost_statistics(*days, by), by, *spending, *as_of);
      !printed) {
    return tl::unexpected(printed.error());
  }
  return 0;
}

}  // namespace luzia
