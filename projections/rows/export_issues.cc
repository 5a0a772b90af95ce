// The tables of known issues: each issue, and how often they occur.
#include "projections/rows/export_fields.h"
#include "projections/rows/issue_rows.h"
#include "projections/rows/names.h"

namespace luzia {
namespace {

using view::Issue;
using view::IssueDay;

constexpr ExportField<Issue> kWhatIssueIs[] = {
    {{"job", kText, "Job in whose output it was seen."},
     [](const Issue& row, TimeUs) { return text_value(row.job()); }},
    {{"fingerprint", kText, "The same for the same problem."},
     [](const Issue& row, TimeUs) { return text_value(row.fingerprint()); }},
    {{"pattern", kText, "Name of the pattern that fitted."},
     [](const Issue& row, TimeUs) { return text_value(row.pattern()); }},
    {{"severity", kText, "info, warning, error or critical."},
     [](const Issue& row, TimeUs) { return text_value(severity_name(row.severity())); }},
    {{"project", kText, "Project of the job."},
     [](const Issue& row, TimeUs) { return text_value(row.project()); }},
    {{"state", kText, "open, fixing, fixed or unfixed."},
     [](const Issue& row, TimeUs) { return text_value(issue_state_name(row.state())); }},
    {{"count", kInteger, "How often it was printed."},
     [](const Issue& row, TimeUs) { return count_value(row.count()); }},
    {{"first_seen", kText, "RFC 3339, UTC."},
     [](const Issue& row, TimeUs) { return time_value(row.first_us()); }},
    {{"last_seen", kText, "RFC 3339, UTC."},
     [](const Issue& row, TimeUs) { return time_value(row.last_us()); }},
    {{"first_line", kInteger, "Line number in the output."},
     [](const Issue& row, TimeUs) { return count_value(row.first_line()); }},
    {{"line", kText, "The line as it was printed."},
     [](const Issue& row, TimeUs) { return text_value(row.line()); }},
    {{"description", kText, "What the pattern says of it."},
     [](const Issue& row, TimeUs) { return text_value(row.description()); }},
    {{"fix", kText, "How it is fixed."}, [](const Issue& row, TimeUs) { return text_value(row.fix()); }},
    {{"fix_command", kText, "Command that fixes it."},
     [](const Issue& row, TimeUs) { return text_value(row.fix_command()); }},
    {{"auto_fixable", kInteger, "1: the command may run by itself."},
     [](const Issue& row, TimeUs) { return count_value(row.auto_fixable() ? 1 : 0); }},
    {{"fix_job", kText, "Job that tried to fix it last."},
     [](const Issue& row, TimeUs) { return text_value(row.fix_job()); }},
};

ExportValue fix_rate_value(const IssueDay& row) {
  return row.issues() == 0 ? ExportValue()
                           : static_cast<double>(row.fixed()) / static_cast<double>(row.issues());
}

constexpr ExportField<IssueDay> kWhatIssueDayIs[] = {
    {{"day", kText, "UTC."}, [](const IssueDay& row, TimeUs) { return day_value(row.day()); }},
    {{"project", kText, "Project of the jobs."},
     [](const IssueDay& row, TimeUs) { return ExportValue(std::string(text(row.project()))); }},
    {{"pattern", kText, "Name of the pattern."},
     [](const IssueDay& row, TimeUs) { return ExportValue(std::string(text(row.pattern()))); }},
    {{"severity", kText, "info, warning, error or critical."},
     [](const IssueDay& row, TimeUs) { return text_value(severity_name(row.severity())); }},
    {{"issues", kInteger, "Problems that were new in their job."},
     [](const IssueDay& row, TimeUs) { return count_value(row.issues()); }},
    {{"occurrences", kInteger, "How often they were printed."},
     [](const IssueDay& row, TimeUs) { return count_value(row.occurrences()); }},
    {{"fixes_tried", kInteger, "Fixes that ran by themselves."},
     [](const IssueDay& row, TimeUs) { return count_value(row.fixes_tried()); }},
    {{"fixed", kInteger, "Problems that were fixed on that day."},
     [](const IssueDay& row, TimeUs) { return count_value(row.fixed()); }},
    {{"fix_rate", kReal, "Fixed ones per new one."},
     [](const IssueDay& row, TimeUs) { return fix_rate_value(row); }},
    {{"mean_fix_seconds", kReal, "From first seen to fixed."},
     [](const IssueDay& row, TimeUs) {
       return row.fixed() == 0 ? ExportValue() : seconds_value(row.fix_time_us() / row.fixed());
     }},
    {{"last_seen", kText, "RFC 3339, UTC."},
     [](const IssueDay& row, TimeUs) { return time_value(row.last_us()); }},
};

}  // namespace

Table issues_data(const std::vector<const Issue*>& issues) {
  return data_table(kWhatIssueIs, issues, 0);
}

ExportTable issues_export_table() {
  return {"issues",
          "Known problems in the output of jobs, repeats counted.",
          wire::View::issues,
          columns_of(kWhatIssueIs),
          2,
          {"pattern", "project", "state"},
          append_one<Issue, kWhatIssueIs>};
}

ExportTable issue_stats_export_table() {
  return {"issue_stats",
          "How often known problems came and were fixed, by day, project and pattern.",
          wire::View::issue_days,
          columns_of(kWhatIssueDayIs),
          3,
          {"pattern", "project"},
          append_one<IssueDay, kWhatIssueDayIs>};
}

}  // namespace luzia
