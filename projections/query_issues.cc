// Pages of known issues, and of how often they were seen and fixed.
#include <algorithm>
#include <utility>

#include "projections/issues.h"
#include "projections/named_rows_page.h"
#include "projections/query_pages.h"
#include "projections/rows/row_bytes.h"

namespace luzia {
namespace {

/// What other jobs contributed to the count `known`. If a clock was set back, the job's own issues may be on
/// later days.
std::uint64_t without_own(std::uint64_t known, std::uint64_t own) {
  return known - std::min(known, own);
}

/// Collects issues until the page is full.
class IssuesPage {
 public:
  IssuesPage(const QueryRun& run, const QueryFilter& filter)
      : run_(run),
        filter_(filter),
        subjects_(run.rows, filter),
        open_only_(run.query.unfixed_only),
        limit_(page_limit(run.query)) {
    page_.type = wire::RowType::issue;
    page_.position = run.at;
  }

  /// False: the page is full and there is more.
  bool offer(std::string_view key, std::string_view value) {
    const StoredRow<view::Issue> row(value);
    if (open_only_ && row->state() == view::IssueState::fixed) return true;
    if (run_.query.without_folded && row->folded()) return true;
    if (!filter_.takes_time(row->last_us())) return true;
    if (!subjects_.takes(text(row->job()), text(row->project()))) return true;
    if (page_.rows.size() == limit_) {
      page_.next = to_hex(as_bytes(last_));
      return false;
    }
    last_ = key.substr(2);
    view::IssueT native = row.native();
    const IssueHistory before = issue_history(run_.rows, native.project, native.pattern, native.first_us);
    native.seen_before = without_own(before.issues + native.seen_that_day, native.seen_before);
    native.fixed_before = without_own(before.fixed + native.fixed_that_day, native.fixed_before);
    LastFix fix = last_fix(run_.rows, native.project, native.pattern);
    native.fixed_by = std::move(fix.by);
    native.fixed_by_job = std::move(fix.job);
    page_.rows.push_back(row_bytes(native));
    return true;
  }
  RowPage take() { return std::move(page_); }

 private:
  const QueryRun& run_;
  const QueryFilter& filter_;
  SubjectFilter subjects_;
  bool open_only_;
  std::size_t limit_;
  std::string last_;
  RowPage page_;
};

}  // namespace

Result<RowPage> issues_page(const QueryRun& run) {
  const auto filter = LUZIA_TRY(QueryFilter::make(run.rows, run.sources, run.query.filter.get()));
  const auto before = LUZIA_TRY(cursor_key(run.query.cursor));
  IssuesPage page(run, filter);
  const std::string end = before.empty() ? row_end(kIssuesView) : row_key(kIssuesView, before);
  const auto offer = [&](std::string_view key, std::string_view value) { return page.offer(key, value); };
  if (filter.jobs().empty()) {
    run.rows.scan_back(row_key(kIssuesView, kFirstIssueKey), end, offer);
    return page.take();
  }
  bool full = false;
  for (auto job = filter.jobs().rbegin(); job != filter.jobs().rend() && !full; ++job) {
    const std::string from = row_key(kIssuesView, issues_key(*job, ""));
    if (from >= end) continue;
    run.rows.scan_back(from, std::min(after_prefix(from), end),
                       [&](std::string_view key, std::string_view value) {
                         full = !page.offer(key, value);
                         return !full;
                       });
  }
  return page.take();
}

Result<RowPage> issue_days_page(const QueryRun& run) {
  const auto filter = LUZIA_TRY(QueryFilter::make(run.rows, run.sources, run.query.filter.get()));
  return named_rows_page<view::IssueDay>(
      run, kIssueDaysView, wire::RowType::issue_day, [&](const view::IssueDay& row) {
        return filter.takes_day(row.day()) && filter.takes_project(text(row.project()));
      });
}

}  // namespace luzia
