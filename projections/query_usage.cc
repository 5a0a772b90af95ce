// Pages of tool calls, usage and outcomes by day, and of agents' usage limits.
#include <algorithm>

#include "projections/costs.h"
#include "projections/named_rows_page.h"
#include "projections/outcomes.h"
#include "projections/query_pages.h"
#include "projections/queue.h"
#include "projections/rows/row_bytes.h"
#include "projections/spending.h"
#include "projections/tools.h"

namespace luzia {
namespace {

/// The keys of these views begin with the day.
template <class Day>
Result<RowPage> days_page(const QueryRun& run, const ProjectionInfo& info, wire::RowType type) {
  const auto filter = LUZIA_TRY(QueryFilter::make(run.rows, run.sources, run.query.filter.get()));
  const auto first = static_cast<std::uint32_t>(std::max<TimeUs>(0, filter.since()) / kDayUs);
  return named_rows_page<Day>(
      run, info, type,
      [&](const Day& row) {
        return filter.takes_day(row.day()) && filter.takes_project(text(row.project())) &&
               filter.takes_agent(text(row.agent()));
      },
      kBehindDays, big_endian_32(first));
}

}  // namespace

Result<RowPage> tools_page(const QueryRun& run) {
  return days_page<view::ToolDay>(run, kToolsView, wire::RowType::tool_day);
}

Result<RowPage> costs_page(const QueryRun& run) {
  return days_page<view::CostDay>(run, kCostsView, wire::RowType::cost_day);
}

Result<RowPage> outcomes_page(const QueryRun& run) {
  return days_page<view::OutcomeDay>(run, kOutcomesView, wire::RowType::outcome_day);
}

Result<RowPage> agent_limits_page(const QueryRun& run) {
  const auto filter = LUZIA_TRY(QueryFilter::make(run.rows, run.sources, run.query.filter.get()));
  RowPage page{wire::RowType::agent_limit, {}, {}, run.at};
  for (view::AgentLimitT& limit : agent_limits(run.rows)) {
    if (!filter.takes_agent(limit.agent)) continue;
    const auto job = find_job_row(run.rows, limit.job);
    if (!job || !filter.takes_project(job->project)) limit.job.clear();
    page.rows.push_back(row_bytes(limit));
  }
  return page;
}

Result<RowPage> spending_page(const QueryRun& run) {
  const auto filter = LUZIA_TRY(QueryFilter::make(run.rows, run.sources, run.query.filter.get()));
  RowPage page{wire::RowType::project_spending, {}, {}, run.at};
  for (const view::ProjectSpendingT& row : spending_rows(run.rows)) {
    const bool takes = row.project.empty() ? !run.sources.may_see : filter.takes_project(row.project);
    if (takes) page.rows.push_back(row_bytes(row));
  }
  return page;
}

}  // namespace luzia
