// Report view issues: the known issues of each job, with repeats counted. Its keys:
// - job, 0, fingerprint: one issue of a job.
// - 1, project, 0, pattern: the issue of this pattern that was fixed last, as it was then.
// - 0, job, 0, pattern: numbers of the job's issues of the pattern: all (seen_before), counted as fixed
//   (fixed_before), and fixed now (count).
//
// Report view issue_days. Key: project, 0, pattern, 0, day (big-endian). How often each pattern was seen, and
// how often it was fixed.
//
// An issue is fixed if a fix reports it, or if a later attempt of its job completes without showing it. If
// the same fingerprint is reported again, by a new daemon or in a later attempt, it counts as one more
// occurrence. Removing a job erases its issues, but not what they added to days.
//
// When a job fails, its row gets the first cause among the issues of its last attempt (first_cause.h). This
// is derived here and no event of its own: all that it needs is in the log, so a better rule holds for old
// jobs too, after a rebuild. When a job fails or completes, the rows that others of its last attempt explain
// are marked as folded (fold_issues), and its row's `issues` no longer counts them.
//
// When an issue is raised, its row keeps what its day had counted of the pattern so far. Together with the
// days before, and without the counts of its own job, this says exactly how often the issue happened in other
// jobs before. (In the stored row, seen_before and fixed_before are those counts of its own job.) An issue
// that is fixed, comes again and is fixed again counts as fixed once.
//
// Rejected: a total since the beginning in each row. Days can be summed over any time, and the row of a day
// is at hand during the fold.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "projections/jobs.h"

namespace luzia {

constexpr ProjectionInfo kIssuesView{21, 7, "issues", ViewKind::report, 2};
constexpr ProjectionInfo kIssueDaysView{22, 3, "issue_days", ViewKind::report, 2};

std::unique_ptr<JobReport> make_issues_report(const ViewReaderSource& rows);

/// First key of a job's issues. Those of job J end before issues_key(J, "") with its 0 replaced by 1.
std::string issues_key(std::string_view job, std::string_view fingerprint);

/// The first key of issues of jobs.
constexpr std::string_view kFirstIssueKey = "\2";

/// How the last issue of a pattern in a project was fixed; empty: none was.
struct LastFix {
  std::string by;   // command of the fix; empty: a later attempt no longer showed it
  std::string job;  // job of the fix, or the job whose later attempt no longer showed it
};
/// Any thread.
LastFix last_fix(const ViewReader& rows, std::string_view project, std::string_view pattern);

/// What is known about a pattern in a project before `before`: issues seen, and how many of them were fixed.
struct IssueHistory {
  std::uint64_t issues = 0, fixed = 0;
  std::uint64_t fixes_tried = 0;
};
/// Counts whole days before the day of `before`. Any thread.
IssueHistory issue_history(const ViewReader& rows, std::string_view project, std::string_view pattern,
                           TimeUs before);

}  // namespace luzia
