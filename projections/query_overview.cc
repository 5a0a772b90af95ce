// The overview: jobs, and what status, top and a dashboard show beside them, from one set of rows. Rejected:
// a query for each part, which cost a round trip each and showed a question beside a job that had just ended.
#include "projections/query_pages.h"
#include "projections/rows/overview_parts.h"
#include "projections/totals.h"

namespace luzia {
namespace {

/// Seven lists of texts have to fit into one frame of the protocol (16 MiB).
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

Result<RowPage> overview_page(const QueryRun& run) {
  const wire::FilterT everything;
  const wire::FilterT& filter = run.query.filter ? *run.query.filter : everything;
  const QueryRun of_jobs{run.rows, run.sources, run.query, run.at, kBytesOfList};
  RowPage page = LUZIA_TRY(status_page(of_jobs));
  if (filter.ended) LUZIA_TRY(add_recent_ends(of_jobs, page));
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
