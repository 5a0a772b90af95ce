// The tables of known issues: each issue, and how often they occur.
#include "projections/rows/export_fields.h"
#include "projections/rows/issue_rows.h"
#include "projections/rows/names.h"

namespace luzia {
namespace {

using view::Issue;
using view::IssueDay;

constexpr ExportField<Issue> kWhatIssueIs[] = {
    {{"job", kText, "Job in whose output it was seen."}, as_is<&Issue::job>},
    {{"fingerprint", kText, "The same for the same problem."}, as_is<&Issue::fingerprint>},
    {{"pattern", kText, "Name of the pattern that fitted."}, as_is<&Issue::pattern>},
    {{"severity", kText, "info, warning, error or critical."}, as_named<&Issue::severity, severity_name>},
    {{"project", kText, "Project of the job."}, as_is<&Issue::project>},
    {{"state", kText, "open, fixing, fixed or unfixed."}, as_named<&Issue::state, issue_state_name>},
    {{"count", kInteger, "How often it was printed."}, as_is<&Issue::count>},
    {{"first_seen", kText, "RFC 3339, UTC."}, as_time<&Issue::first_us>},
    {{"last_seen", kText, "RFC 3339, UTC."}, as_time<&Issue::last_us>},
    {{"first_line", kInteger, "Line number in the output."}, as_is<&Issue::first_line>},
    {{"line", kText, "The line as it was printed."}, as_is<&Issue::line>},
    {{"description", kText, "What the pattern says of it."}, as_is<&Issue::description>},
    {{"fix", kText, "How it is fixed."}, as_is<&Issue::fix>},
    {{"fix_command", kText, "Command that fixes it."}, as_is<&Issue::fix_command>},
    {{"auto_fixable", kInteger, "1: the command may run by itself."}, as_is<&Issue::auto_fixable>},
    {{"fix_job", kText, "Job that tried to fix it last."}, as_is<&Issue::fix_job>},
};

ExportValue fix_rate_value(const IssueDay& row) {
  return row.issues() == 0 ? ExportValue()
                           : static_cast<double>(row.fixed()) / static_cast<double>(row.issues());
}

constexpr ExportField<IssueDay> kWhatIssueDayIs[] = {
    {{"day", kText, "UTC."}, as_named<&IssueDay::day, day_text>},
    {{"project", kText, "Project of the jobs."}, as_key<&IssueDay::project>},
    {{"pattern", kText, "Name of the pattern."}, as_key<&IssueDay::pattern>},
    {{"severity", kText, "info, warning, error or critical."}, as_named<&IssueDay::severity, severity_name>},
    {{"issues", kInteger, "Problems that were new in their job."}, as_is<&IssueDay::issues>},
    {{"occurrences", kInteger, "How often they were printed."}, as_is<&IssueDay::occurrences>},
    {{"fixes_tried", kInteger, "Fixes that ran by themselves."}, as_is<&IssueDay::fixes_tried>},
    {{"fixed", kInteger, "Problems that were fixed on that day."}, as_is<&IssueDay::fixed>},
    {{"fix_rate", kReal, "Fixed ones per new one."},
     [](const IssueDay& row, TimeUs) { return fix_rate_value(row); }},
    {{"mean_fix_seconds", kReal, "From first seen to fixed."},
     [](const IssueDay& row, TimeUs) {
       return row.fixed() == 0 ? ExportValue() : seconds_value(row.fix_time_us() / row.fixed());
     }},
    {{"last_seen", kText, "RFC 3339, UTC."}, as_time<&IssueDay::last_us>},
};

}  // namespace

Table issues_data(const std::vector<const Issue*>& issues) {
  return data_table(kWhatIssueIs, issues, 0);
}

ExportTable issues_export_table() {
  return table_of<Issue, kWhatIssueIs>("issues", "Known problems in the output of jobs, repeats counted.",
                                       wire::View::issues, 2, {"pattern", "project", "state"});
}

ExportTable issue_stats_export_table() {
  return table_of<IssueDay, kWhatIssueDayIs>(
      "issue_stats", "How often known problems came and were fixed, by day, project and pattern.",
      wire::View::issue_days, 3, {"pattern", "project"});
}

}  // namespace luzia
