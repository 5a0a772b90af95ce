// The overview: jobs, and what status, top and a dashboard show beside them, from one set of rows. Rejected:
// a query for each part, which cost a round trip each and showed a question beside a job that had just ended.
#include "engine/event/job_state.h"
#include "projections/query_pages.h"
#include "projections/totals.h"

namespace luzia {
namespace {

/// Six lists of texts have to fit into one frame of the protocol (16 MiB).
constexpr std::size_t kBytesOfList = 2 << 20;

std::vector<wire::View> parts_of(const wire::FilterT& filter, const ViewReader& rows) {
  using enum wire::View;
  std::vector<wire::View> parts = {switches, alerts, questions, approvals};
  if (!narrows_jobs(filter)) parts.push_back(flows);
  if (is_countable(filter) && rows.has(kTotalsView.id)) parts.push_back(totals);
  return parts;
}

std::vector<std::string> queued_jobs(const RowPage& page) {
  std::vector<std::string> ids;
  for (const std::string& bytes : page.rows) {
    const auto* job = flatbuffers::GetRoot<view::Job>(bytes.data());
    if (job->state() == schema::JobState::queued) ids.emplace_back(text(job->id()));
  }
  return ids;
}

}  // namespace

bool narrows_jobs(const wire::FilterT& filter) {
  return !filter.agents.empty() || !filter.tags.empty() || !filter.states.empty() || !filter.jobs.empty() ||
         !filter.after.empty();
}

bool is_countable(const wire::FilterT& filter) {
  return !narrows_jobs(filter) && filter.since_us == 0 && filter.until_us == 0;
}

wire::QueryT query_of_part(const wire::QueryT& overview, wire::View part) {
  wire::QueryT query;
  query.view = part;
  query.limit = kMaxLimit;
  query.at_position = overview.at_position;
  query.at_time_us = overview.at_time_us;
  query.filter = std::make_unique<wire::FilterT>();
  wire::FilterT& filter = *query.filter;
  if (part == wire::View::alerts) {
    filter.ended = overview.ended_alerts;  // of the machine, whatever is shown of its jobs
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

Result<RowPage> overview_page(const QueryRun& run) {
  const wire::FilterT everything;
  const wire::FilterT& filter = run.query.filter ? *run.query.filter : everything;
  RowPage page = LUZIA_TRY(status_page({run.rows, run.sources, run.query, run.at, kBytesOfList}));
  const auto add = [&](const wire::QueryT& query) -> Status {
    RowPage part = LUZIA_TRY(page_of_view({run.rows, run.sources, query, run.at, kBytesOfList}));
    page.parts.push_back(std::move(part));
    return {};
  };
  for (const wire::View view : parts_of(filter, run.rows)) LUZIA_TRY(add(query_of_part(run.query, view)));
  wire::QueryT queue = query_of_part(run.query, wire::View::queue);
  queue.filter->jobs = queued_jobs(page);
  if (!queue.filter->jobs.empty()) LUZIA_TRY(add(queue));
  return page;
}

}  // namespace luzia
