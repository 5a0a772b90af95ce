#include "projections/rows/issue_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "projections/rows/export_fields.h"
#include "projections/rows/names.h"
#include "projections/rows/times.h"
#include "projections/rows/usage_rows.h"

namespace luzia {
namespace {

std::string key_of(const view::IssueDay& day, IssuesBy by) {
  if (by == IssuesBy::pattern) return std::string(text(day.pattern()));
  if (by == IssuesBy::project) return std::string(text(day.project()));
  return by == IssuesBy::severity ? std::string(severity_name(day.severity())) : day_text(day.day());
}

void add(IssueStatistic& sum, const view::IssueDay& day, std::int64_t today) {
  sum.issues += day.issues();
  sum.occurrences += day.occurrences();
  sum.fixes_tried += day.fixes_tried();
  sum.fixed += day.fixed();
  sum.fix_time_us += day.fix_time_us();
  sum.last_us = std::max(sum.last_us, day.last_us());
  sum.severity = std::max(sum.severity, day.severity());
  const std::int64_t age = today - static_cast<std::int64_t>(day.day());
  if (age >= 0 && age < 7) sum.last_week += day.issues();
  if (age >= 7 && age < 14) sum.week_before += day.issues();
}

std::string title_of(IssuesBy by) {
  constexpr const char* kTitles[] = {"PATTERN", "PROJECT", "SEVERITY", "DAY"};
  return kTitles[static_cast<std::size_t>(by)];
}

constexpr ExportField<IssueStatistic> kWhatIssuesAre[] = {
    {{"key", kText, "Pattern, project, severity or day."}, as_key<&IssueStatistic::key>},
    {{"issues", kInteger, "Problems that were new in their job."}, as_is<&IssueStatistic::issues>},
    {{"occurrences", kInteger, "How often they were printed."}, as_is<&IssueStatistic::occurrences>},
    {{"severity", kText, "The worst of them."}, as_named<&IssueStatistic::severity, severity_name>},
    {{"fixes_tried", kInteger, "Fixes that ran by a policy."}, as_is<&IssueStatistic::fixes_tried>},
    {{"fixed", kInteger, "Problems that were fixed."}, as_is<&IssueStatistic::fixed>},
    {{"fix_rate", kReal, "Fixed ones per new one, 0 to 1."}, as_is<&IssueStatistic::fix_rate>},
    {{"mean_fix_seconds", kReal, "From first seen to fixed."},
     [](const IssueStatistic& row, TimeUs) {
       const auto mean = row.mean_fix_time();
       return mean ? seconds_value(*mean) : ExportValue();
     }},
    {{"last_week", kInteger, "New ones of the last 7 days."}, as_is<&IssueStatistic::last_week>},
    {{"week_before", kInteger, "New ones of the 7 days before."}, as_is<&IssueStatistic::week_before>},
    {{"last_seen", kText, "RFC 3339, UTC."}, as_time<&IssueStatistic::last_us>},
    {{"last_seen_us", kInteger, "Microseconds since 1970 UTC."}, as_is<&IssueStatistic::last_us>},
};

}  // namespace

std::optional<double> IssueStatistic::fix_rate() const {
  if (issues == 0) return std::nullopt;
  return std::min(1.0, static_cast<double>(fixed) / static_cast<double>(issues));
}

std::optional<TimeUs> IssueStatistic::mean_fix_time() const {
  if (fixed == 0) return std::nullopt;
  return static_cast<TimeUs>(fix_time_us / fixed);
}

std::vector<IssueStatistic> issue_statistics(const std::vector<const view::IssueDay*>& days, IssuesBy by,
                                             TimeUs now) {
  std::map<std::string, IssueStatistic> sums;
  for (const view::IssueDay* day : days) {
    const std::string key = key_of(*day, by);
    sums[key].key = key;
    add(sums[key], *day, now / kDayUs);
  }
  return sorted_sums(sums, by == IssuesBy::day,
                     [](const auto& a, const auto& b) { return a.issues > b.issues; });
}

std::string issue_statistic_json(const IssueStatistic& row) {
  return fields_json(kWhatIssuesAre, row);
}

Table issue_statistics_table(const std::vector<IssueStatistic>& statistics, IssuesBy by, Form form) {
  if (form == Form::data) return data_table(kWhatIssuesAre, statistics);
  Table table({{.title = title_of(by), .min_width = 12, .shrinks = true},
               {"ISSUES", Align::right},
               {"TIMES", Align::right},
               {"FIXED", Align::right},
               {.title = "TIME TO FIX", .align = Align::right},
               {.title = "7 DAYS", .align = Align::right},
               {.title = "BEFORE", .align = Align::right, .drops = 1},
               {.title = "LAST SEEN", .drops = 2}});
  for (const IssueStatistic& row : statistics) {
    const auto mean = row.mean_fix_time();
    table.add({{row.key, Colour::bold},
               {fmt::to_string(row.issues)},
               {fmt::to_string(row.occurrences)},
               {percent_or_dash(row.fix_rate())},
               {mean ? format_milliseconds(static_cast<double>(*mean) / kMillisecondUs) : std::string("-")},
               {fmt::to_string(row.last_week)},
               {fmt::to_string(row.week_before)},
               {second_time(row.last_us)}});
  }
  return table;
}

}  // namespace luzia
