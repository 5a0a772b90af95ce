// How often known issues occur and are fixed: sums of days of the report view issue_days, for people and
// scripts. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "projections/rows/row_tables.h"

namespace luzia {

/// Groups days by pattern, project, severity or day.
enum class IssuesBy : std::uint8_t { pattern, project, severity, day };
struct IssueStatistic {
  std::string key;
  std::uint64_t issues = 0, occurrences = 0, fixes_tried = 0, fixed = 0, fix_time_us = 0;
  std::uint64_t last_week = 0, week_before = 0;  // issues, for the trend; counted back from `now`
  TimeUs last_us = 0;
  schema::Severity severity = schema::Severity::info;  // the highest

  std::optional<double> fix_rate() const;  // 0..1
  std::optional<TimeUs> mean_fix_time() const;
};
/// Most frequent first; by day, latest first.
std::vector<IssueStatistic> issue_statistics(const std::vector<const view::IssueDay*>& days, IssuesBy by,
                                             TimeUs now);
/// Fields: key issues occurrences severity fixes_tried fixed fix_rate mean_fix_seconds last_week week_before
/// last_seen.
std::string issue_statistic_json(const IssueStatistic& statistic);
Table issue_statistics_table(const std::vector<IssueStatistic>& statistics, IssuesBy by,
                             Form form = Form::people);

}  // namespace luzia
