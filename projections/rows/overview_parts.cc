#include "projections/rows/overview_parts.h"

#include <memory>

namespace luzia {
namespace {

constexpr std::uint32_t kMostRowsOfPart = 1'000;  // the most that a page has

}  // namespace

bool narrows_jobs(const wire::FilterT& filter) {
  return !filter.agents.empty() || !filter.tags.empty() || !filter.states.empty() || !filter.jobs.empty() ||
         !filter.after.empty() || filter.proved || filter.refuted;
}

bool is_countable(const wire::FilterT& filter) {
  return !narrows_jobs(filter) && filter.since_us == 0 && filter.until_us == 0;
}

wire::QueryT query_of_part(const wire::QueryT& overview, wire::View part) {
  wire::QueryT query;
  query.view = part;
  query.limit = kMostRowsOfPart;
  query.at_position = overview.at_position;
  query.at_time_us = overview.at_time_us;
  query.filter = std::make_unique<wire::FilterT>();
  wire::FilterT& filter = *query.filter;
  if (part == wire::View::alerts) {
    filter.ended = overview.ended_alerts;  // of the machine, whatever is shown of its jobs
    if (overview.ended_alerts && overview.filter) {
      filter.since_us = overview.filter->since_us;
      filter.until_us = overview.filter->until_us;
    }
    return query;
  }
  if (!overview.filter) return query;
  const bool is_of_jobs = part == wire::View::questions || part == wire::View::approvals;
  if (is_of_jobs) filter = *overview.filter;
  filter.projects = overview.filter->projects;
  filter.since_us = filter.until_us = 0;  // what is open concerns us however old it is
  filter.ended = !is_of_jobs && part != wire::View::flows;
  query.manual_steps_only = part == wire::View::flows;
  return query;
}

}  // namespace luzia
