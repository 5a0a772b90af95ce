// report: writes one HTML file about jobs, their outcomes and their cost.
#include "engine/base/try.h"
#include "projections/rows/report_page.h"
#include "tools/luzia-query/commands.h"
#include "tools/luzia-query/export_command.h"
#include "tools/read/listing.h"
#include "tools/read/pages.h"

namespace luzia {
namespace {

constexpr std::size_t kMostJobs = 400;

/// The pages that the report's content points into.
struct ReportPages {
  RowPage outcomes, costs, issues, jobs;
};

template <class Row>
Status read_part(Session& session, wire::View view, std::size_t limit, RowPage& page,
                 std::vector<const Row*>& rows) {
  auto source = LUZIA_TRY(session.still_source());
  wire::QueryT query = session.query(view);
  query.filter->ended = true;
  page = LUZIA_TRY(collect_pages(*source, query, limit));
  rows = LUZIA_TRY(rows_of<Row>(page));
  return {};
}

}  // namespace

Result<int> run_report(Session& session) {
  const auto as_of = LUZIA_TRY(session.as_of());
  ReportPages pages;
  ReportContent content;
  const wire::FilterT& filter = session.options().filter;
  content.since = filter.since_us;
  content.until = filter.until_us == 0 ? as_of : std::min(as_of, filter.until_us);
  Status read = read_part(session, wire::View::outcomes, 0, pages.outcomes, content.outcomes);
  if (read) read = read_part(session, wire::View::costs, 0, pages.costs, content.costs);
  if (read) read = read_part(session, wire::View::issue_days, 0, pages.issues, content.issues);
  if (read)
    read = read_part(session, wire::View::jobs, session.options().limit.value_or(kMostJobs), pages.jobs,
                     content.jobs);
  if (!read) return tl::unexpected(read.error());
  content.position = pages.jobs.position;
  content.more_jobs = !pages.jobs.next.empty();
  return export_to_out(session, [&](const ExportSink& sink) { return sink(report_page(content)); });
}

}  // namespace luzia
