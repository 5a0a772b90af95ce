// Report view issues, key: job, 0, fingerprint. The known problems of each job, their repeats counted.
// Report view issue_days, key: project, 0, pattern, 0, day (big-endian). How often each pattern was seen and
// how often what it names was mended.
//
// An issue is fixed when a fix says so, or when a later attempt of its job completes without showing it. The
// same fingerprint told again (by a new daemon, or in a later attempt) is one occurrence more.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "projections/jobs.h"

namespace luzia {

constexpr ProjectionInfo kIssuesView{21, 1, "issues", ViewKind::report};
constexpr ProjectionInfo kIssueDaysView{22, 1, "issue_days", ViewKind::report};

std::unique_ptr<JobReport> make_issues_report(const ViewReaderSource& rows);

/// First key of a job's issues; those of job J end before issues_key(J, "") with the 0 replaced by 1.
std::string issues_key(std::string_view job, std::string_view fingerprint);

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
