// cost: sums up tokens and cost as reported by agents.
#include "engine/base/try.h"
#include "projections/rows/json_object.h"
#include "projections/rows/spending_rows.h"
#include "projections/rows/usage_rows.h"
#include "tools/read/commands.h"
#include "tools/read/listing.h"
#include "tools/read/usage_by.h"

namespace luzia {
namespace {

/// {"costs":[...],"budgets":[...],"position","next"}.
std::string costs_json(const std::vector<CostStatistic>& costs,
                       const std::vector<const view::ProjectSpending*>& spending, TimeUs now,
                       Position position) {
  JsonObject object;
  object.array("costs", costs, cost_statistic_json);
  object.array("budgets", spending, [now](const auto* row) { return spending_json(*row, now); });
  object.number("position", position);
  object.at("next").null();
  return object.take();
}

Status print_costs(Session& session, const RowPage& page, std::vector<CostStatistic> costs, UsageBy by,
                   const std::vector<const view::ProjectSpending*>& spending, TimeUs now) {
  Console& console = session.console();
  const Sums<CostStatistic> sums{
      "costs", cost_statistic_json,
      [by](const auto& rows, Form form) { return cost_statistics_table(rows, by, form); },
      "no usage was reported"};
  arrange_sums(session, costs, sums);
  if (session.options().format == Format::json) {
    return console.write_line(costs_json(costs, spending, now, page.position));
  }
  Status written = print_sums(session, page, costs, sums);
  const Table budgets = spending_table(spending, now);
  if (!written || budgets.empty() || session.options().format == Format::csv ||
      !session.options().columns.empty())
    return written;
  return console.write((costs.empty() ? "" : "\n") + budgets.text(console.style()));
}

Result<int> run_cost(Session& session) {
  auto source = LUZIA_TRY(session.source());
  const auto as_of = LUZIA_TRY(session.as_of());
  const auto page = LUZIA_TRY(collect_pages(*source, session.query(wire::View::costs), 0));
  const auto days = LUZIA_TRY(rows_of<view::CostDay>(page));
  wire::QueryT query = session.query(wire::View::spending);
  query.filter->since_us = query.filter->until_us = 0;              // spending is that of the current day
  const bool of_agents = session.invocation().args().has("agent");  // budgets are those of projects
  const auto spent = of_agents ? RowPage() : LUZIA_TRY(collect_pages(*source, query, 0));
  const auto spending = LUZIA_TRY(rows_of<view::ProjectSpending>(spent));
  const UsageBy by = usage_by(session.options().by, UsageBy::model);
  LUZIA_TRY(print_costs(session, page, cost_statistics(days, by), by, spending, as_of));
  return 0;
}

constexpr Option kCostOptions[] = {
    kProjectFilter,
    kAgentFilter,
    kSinceDay,
    kUntilFilter,
    kEndlessLimit,
    {"--by", ValueKind::choice, "WHAT", "group by agent, model, project or day", "agent|model|project|day"},
    kSortOption,
    kColumnsOption,
    kFleetOption,
    kSiteFilter,
    kAtOption,
    kCsvOption};

std::vector<Column> cost_fields(std::string_view by) {
  return cost_statistics_table({}, usage_by(by, UsageBy::model), Form::data).columns();
}

}  // namespace

const Command kCostCommand = {"cost",
                              "Add up",
                              "[--by WHAT] [--sort FIELD] [--columns FIELD,...] [filters] [--at TIME]",
                              "show tokens and cost by model; --by groups them differently",
                              "Below them are the budgets of projects and what is used of them today. With "
                              "--agent they are left out: they cover all agents.",
                              "luzia cost\n"
                              "luzia cost --by project --since 30d\n"
                              "luzia cost --agent claude --by day --json",
                              kCostOptions,
                              {},
                              reading<run_cost>,
                              kNeedsStore,
                              kSumsOfDays,
                              {},
                              {},
                              cost_fields};

}  // namespace luzia
