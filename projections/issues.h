// Report view issues, key: job, 0, fingerprint. The known problems of each job, their repeats counted. And,
// key: 1, project, 0, pattern: the issue of that pattern which was fixed last, as it was then. And, key: 0,
// job, 0, pattern: how many issues of the pattern the job has had (seen_before), how many of them were
// counted as fixed (fixed_before), and how many are fixed now (count). Report view issue_days, key: project,
// 0, pattern, 0, day (big-endian). How often each pattern was seen and how often what it names was fixed.
//
// An issue is fixed when a fix says so, or when a later attempt of its job completes without showing it. The
// same fingerprint told again (by a new daemon, or in a later attempt) is one occurrence more. The issues of
// a job go when it is removed; what they added to days stays.
//
// Each issue keeps what its day had counted of its pattern when it was raised: with the days before it, and
// without what its own job had added (which its row has as seen_before and fixed_before until it is read),
// that says exactly how often it happened in other jobs before. An issue that is fixed, comes again and is
// fixed again counts as fixed once. (Rejected: a count since ever in each row: days can be summed
// over any time, and the row of a day is at hand while it is folded.)
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "projections/jobs.h"

namespace luzia {

constexpr ProjectionInfo kIssuesView{21, 4, "issues", ViewKind::report, 2};
constexpr ProjectionInfo kIssueDaysView{22, 3, "issue_days", ViewKind::report, 2};

std::unique_ptr<JobReport> make_issues_report(const ViewReaderSource& rows);

/// First key of a job's issues; those of job J end before issues_key(J, "") with the 0 replaced by 1.
std::string issues_key(std::string_view job, std::string_view fingerprint);

/// Where issues of jobs begin among the keys.
constexpr std::string_view kFirstIssueKey = "\2";

/// How the last issue of a pattern in a project came to be fixed; empty: none was.
struct LastFix {
  std::string by;   // the command that a fix ran; empty: it was gone in a later attempt
  std::string job;  // of the fix, else the one whose attempt did not show it any more
};
/// Any thread.
LastFix last_fix(const ViewReader& rows, std::string_view project, std::string_view pattern);

/// What is known of a pattern in a project before `before`: issues seen, and how many of them came to be
/// fixed.
struct IssueHistory {
  std::uint64_t issues = 0, fixed = 0;
  std::uint64_t fixes_tried = 0;
};
/// Whole days before that of `before`. Any thread.
IssueHistory issue_history(const ViewReader& rows, std::string_view project, std::string_view pattern,
                           TimeUs before);

}  // namespace luzia
