// One function per view; the parts of run_query.
#pragma once

#include "projections/query.h"
#include "projections/query_filter.h"

namespace luzia {

/// How many ids an error about an ambiguous name lists.
inline constexpr std::size_t kNamedInErrors = 5;
/// A page of jobs, questions, approvals or flows ends, with a cursor, if its rows exceed this size.
inline constexpr std::size_t kPageBytes = 4 << 20;

/// A query and its rows. `at`: nothing after this position is shown.
struct QueryRun {
  const ViewReader& rows;
  const QuerySources& sources;
  const wire::QueryT& query;
  Position at;
  std::size_t page_bytes = kPageBytes;
};

/// The page of whatever view the query names; `unknown_view` (usage).
Result<RowPage> page_of_view(const QueryRun& run);

Result<RowPage> jobs_page(const QueryRun& run);
Result<RowPage> status_page(const QueryRun& run);
/// Adds to a page of `status` the jobs that ended badly within kRecentEndsUs and are not on it, at most
/// kFailedInStatus, and the part outcome_day: one row about all ends of that time.
Status add_recent_ends(const QueryRun& run, RowPage& page);
Result<RowPage> overview_page(const QueryRun& run);
Result<RowPage> queue_page(const QueryRun& run);
Result<RowPage> activity_page(const QueryRun& run);
Result<RowPage> totals_page(const QueryRun& run);
Result<RowPage> durations_page(const QueryRun& run);
/// What keeps jobs from starting, in the whole queue ("") or in single projects.
Result<RowPage> switches_page(const QueryRun& run);
Result<RowPage> hooks_page(const QueryRun& run);
/// Alerts of the machine. They belong to no project, so only callers who may see everything get them.
Result<RowPage> alerts_page(const QueryRun& run);
/// Paired devices, without their secrets. They belong to no project, as alerts.
Result<RowPage> devices_page(const QueryRun& run);
/// By name, with how their jobs came out.
Result<RowPage> schedules_page(const QueryRun& run);
Result<RowPage> events_page(const QueryRun& run);
Result<RowPage> why_page(const QueryRun& run);
/// Issues of the newest jobs first, with what is known of their patterns from before.
Result<RowPage> issues_page(const QueryRun& run);
/// By project, pattern and day.
Result<RowPage> issue_days_page(const QueryRun& run);

/// By day, project, agent and model; tools_page also by tool.
Result<RowPage> tools_page(const QueryRun& run);
Result<RowPage> costs_page(const QueryRun& run);
Result<RowPage> outcomes_page(const QueryRun& run);
/// Parked agents. The job's name is omitted if the caller may not see that job.
Result<RowPage> agent_limits_page(const QueryRun& run);
/// Usage on the present day. The row of all projects together is only for callers who may see everything.
Result<RowPage> spending_page(const QueryRun& run);

/// Open ones first, oldest first; then those that are over, newest first; with texts. filter.ended=false:
/// only open ones. Cursor: key of the last row, in hexadecimal. Gates at which flow steps wait come before
/// all other approvals; gates that are over are sorted between the others by the time they were reached.
/// Their id is FLOW/STEP, and they name no job.
Result<RowPage> questions_page(const QueryRun& run);
Result<RowPage> approvals_page(const QueryRun& run);

/// Active ones first, newest first. `query.id`: only this one, with the issues of its jobs.
Result<RowPage> flows_page(const QueryRun& run);
/// `query.text`: only steps of this name.
Result<RowPage> step_statistics_page(const QueryRun& run);

/// Newest first, with texts. `query.id`: only this one.
Result<RowPage> solutions_page(const QueryRun& run);
/// By project, subject, relation, object. `query.id`: only with this subject or object. filter.tags: only
/// with one of these relations.
Result<RowPage> facts_page(const QueryRun& run);
Result<RowPage> todos_page(const QueryRun& run);
/// Tools that agents could call, by project, tool, agent, with the number of calls.
Result<RowPage> catalogue_page(const QueryRun& run);

/// The beginning of an id in full: `begin` ("f-") may be left out. "@last": that of all ids.
std::string full_beginning(std::string_view name, std::string_view begin);

/// Maximum number of rows on a page: the query's limit, or `otherwise`, at most kMaxLimit.
std::size_t page_limit(const wire::QueryT& query, std::uint32_t otherwise = kDefaultLimit);

/// The key in a cursor of a list of named rows: lowercase hexadecimal. `bad_cursor`: anything else.
Result<std::string> cursor_key(const std::string& cursor);

/// The number in a cursor; 0: no cursor. `bad_cursor`: anything else.
Result<std::uint64_t> cursor_number(const std::string& cursor);

/// The text that an event refers to; "(erased)" after a purge. If it cannot be read, a placeholder
/// (rows/unreadable.h).
std::string shown_text(const EventLog& log, Position event, const schema::BlobRefT& text);

/// Sets `task` from its blob: at most `task_bytes`, never half a character; "(erased)" after a purge. If it
/// cannot be read, it stays empty and `task_error` says so (rows/unreadable.h). Sets `message` likewise, of
/// at most `message_bytes`; unreadable: the placeholder of shown_text().
void join_task(view::JobT& row, const EventLog& log, std::size_t task_bytes, std::size_t message_bytes);
/// Sets the texts of what its agent was told, at most `bytes` of each.
void join_told(view::JobT& row, const EventLog& log, std::size_t bytes);

}  // namespace luzia
