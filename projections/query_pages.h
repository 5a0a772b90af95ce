// One page per view; the parts of run_query.
#pragma once

#include "projections/query.h"
#include "projections/query_filter.h"

namespace luzia {

/// How many ids an error names that fits several.
inline constexpr std::size_t kNamedInErrors = 5;
/// A page of jobs, questions, approvals or flows ends, with a cursor, after this many bytes.
inline constexpr std::size_t kPageBytes = 4 << 20;

/// A query on its rows. `at`: nothing after this position is shown.
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
Result<RowPage> overview_page(const QueryRun& run);
Result<RowPage> queue_page(const QueryRun& run);
Result<RowPage> activity_page(const QueryRun& run);
Result<RowPage> totals_page(const QueryRun& run);
Result<RowPage> durations_page(const QueryRun& run);
/// What keeps jobs from starting: everything ("") or single projects.
Result<RowPage> switches_page(const QueryRun& run);
Result<RowPage> hooks_page(const QueryRun& run);
/// Conditions of the machine: of no project, so for those who see everything.
Result<RowPage> alerts_page(const QueryRun& run);
Result<RowPage> events_page(const QueryRun& run);
Result<RowPage> why_page(const QueryRun& run);
/// Those of the newest jobs first; what is known of their patterns from before is joined.
Result<RowPage> issues_page(const QueryRun& run);
/// By project, pattern and day.
Result<RowPage> issue_days_page(const QueryRun& run);

/// By day, project, agent, model; of tools by tool too.
Result<RowPage> tools_page(const QueryRun& run);
Result<RowPage> costs_page(const QueryRun& run);
Result<RowPage> outcomes_page(const QueryRun& run);
/// Agents that are parked; of whose job a caller may not know, its name is missing.
Result<RowPage> agent_limits_page(const QueryRun& run);
/// What projects used on the present day; of all together only for those who see everything.
Result<RowPage> spending_page(const QueryRun& run);

/// Open ones first, the oldest first, then those that are over, the newest first; texts joined.
/// filter.ended=false: open ones only. Cursor: key of the last row, in hexadecimal. Gates at which steps of
/// flows wait stand before all other approvals, those that are over between them, by when they were reached:
/// their id is FLOW/STEP, and they name no job.
Result<RowPage> questions_page(const QueryRun& run);
Result<RowPage> approvals_page(const QueryRun& run);

/// Active ones first, the newest first; `query.id`: one alone, with what its jobs met.
Result<RowPage> flows_page(const QueryRun& run);
/// `query.text`: of steps of this name.
Result<RowPage> step_statistics_page(const QueryRun& run);

/// The newest first, texts joined; `query.id`: one alone.
Result<RowPage> solutions_page(const QueryRun& run);
/// By project, subject, relation, object. `query.id`: that are about this thing, as subject or object;
/// filter.tags: of one of these relations.
Result<RowPage> facts_page(const QueryRun& run);
/// What agents could call, by project, tool, agent; how often they did is joined.
Result<RowPage> catalogue_page(const QueryRun& run);

/// The rows a page may have: the query's limit, or `otherwise`, at most kMaxLimit.
std::size_t page_limit(const wire::QueryT& query, std::uint32_t otherwise = kDefaultLimit);

/// The key in a cursor of a list of named rows: lower-case hexadecimal; `bad_cursor` for anything else.
Result<std::string> cursor_key(const std::string& cursor);

/// The number in a cursor; 0 for none; `bad_cursor` for anything else.
Result<std::uint64_t> cursor_number(const std::string& cursor);

/// The text that an event refers to: "(erased)" after a purge, and words of its own where it cannot be read
/// (rows/unreadable.h).
std::string shown_text(const EventLog& log, Position event, const schema::BlobRefT& text);

/// Fills `task` from its blob, at most `task_bytes` of it and never half a character; "(erased)" after a
/// purge. Where it cannot be read it stays empty and `task_error` says so (rows/unreadable.h).
void join_task(view::JobT& row, const EventLog& log, std::size_t task_bytes);

}  // namespace luzia
