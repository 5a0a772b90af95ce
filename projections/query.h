// Answers queries: pages of rows over one consistent set of rows, with filters, cursors and past states. Any
// thread; changes nothing.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/time.h"
#include "engine/log/event_log.h"
#include "engine/view/fold.h"
#include "engine/view/view_store.h"
#include "projections/rows/row_page.h"
#include "protocol.fb.h"
#include "view.fb.h"

namespace luzia {

class PastViews;

/// All rows of one past moment.
struct PastRows {
  Position at = 0;
  std::shared_ptr<const PastViews> views;  // null: none yet
};

/// What a query needs besides the rows. `log` must outlive the call.
struct QuerySources {
  const EventLog& log;
  /// Whether the caller may see rows of this project; unset: all. Rows without a project are shown only to
  /// callers who may see everything.
  std::function<bool(std::string_view project)> may_see;
  /// Adds to a job's row what is only in memory (the last line); may be unset. Not called for past states.
  std::function<void(view::JobT&)> join_live;
  /// Stops a long fold of the past (`cancelled`).
  std::stop_token stop = {};
  /// Keeps all past rows that a query had to fold, for the next query of the same moment; may be null.
  PastRows* past = nullptr;
  /// Present time, to omit pauses that are over by now; 0: omits none. For a past state its own time counts.
  TimeUs now = 0;
  /// Lists of the present omit flows that ended before this (unless `all_time`); 0: omits none.
  TimeUs flows_ended_since = 0;
  /// True: the caller asks the running scheduler why queued jobs wait. False: the answer is computed from
  /// rows as far as possible. Not for past states.
  bool scheduler_tells = false;
  /// For a long fold of the past.
  FoldThreads threads = FoldThreads::several;
};

constexpr std::uint32_t kDefaultLimit = 50;
constexpr std::size_t kTaskBytesInLists = 4096;
/// Limit of the output of each step of a flow in lists; what is left out shows as "...".
constexpr std::size_t kOutputInLists = 512;
/// Answers `query` from `rows`. Removed jobs, and rows that belong only to them, are in no list; a filter
/// that names one finds it. Views:
/// - jobs: newest first. filter.ended=false: only those that are not terminal. Cursor: last id of the page
///   before. Tasks are cut unless `whole_tasks`. A page also ends after 4 MiB. With a time of the end in the
///   filter, but no filter.jobs: the last end first, with cursors of their own.
///   `text`: only jobs whose tasks have all of these words, also within longer ones, without regard to the
///   case of ASCII letters. A page then also ends after reading 10,000 tasks, so it may be short.
///   `beginnings`: of each job in the filter a row with nothing but an `id`: the shortest beginning that
///   names only this job among those that the caller may see.
/// - status: jobs that are not terminal (up to 1,000), newest first. Then the first kQueuedInStatus queued
///   ones (`long_queue`: kQueuedInLongStatus) in the order of start. Then the jobs that ended last
///   (limit, default 10); if there are fewer, imported and other ended ones of the newest 1,000 jobs.
/// - overview: the jobs of `status`. `parts` has what is shown beside them, all of the same
///   position: switches, alerts (`ended_alerts`: also those that are over), open questions and approvals, and
///   the queue entries of the queued jobs. With filter.ended also those of the filter that ended within
///   kRecentEndsUs: up to kFailedInStatus more jobs that ended badly, and one outcome_day (of day 0) that
///   counts all; its `next` is set if only the last kLastEnds ends of all jobs were counted. Flows with
///   manual steps and totals are added if the filter names at most projects. Totals are missing while a new
///   version rebuilds them.
/// - queue: in the order of start, with positions and why jobs wait. `without_positions`, with filter.jobs:
///   costs what these jobs cost, however long the queue is.
/// - switches: what keeps jobs from starting: pauses and drain of the whole queue (scope ""); pauses,
///   breakers and used-up budgets of projects.
/// - spending: usage on the present day, of all together (first) and of each project.
/// - activity: newest first.
/// - totals: per project, by name.
/// - durations: per measure, project, agent.
/// - events: oldest first; of the whole log, or of the jobs in filter.jobs and the flow `id`. Cursor: last
///   position seen; any number is valid. A page ends after examining 100,000 events, so it may be short and
///   still have a `next`.
/// - issues: those of the newest jobs first; `unfixed_only`: only those that are not fixed;
///   `without_folded`: not folded ones (fold_issues).
/// - alerts: of the machine, each once, by name; filter.ended=false: only open ones.
/// - hooks: by name, how far each has been notified; only for callers who may see everything.
/// - questions, approvals: open ones first, oldest first; then those that are over, newest first. With their
///   texts ("(erased)" after a purge). filter.ended=false: only open ones. Filters use the time of asking. A
///   page also ends after 4 MiB. A request that is closed between two pages appears on the second one again.
///   approvals with `id`: only the gates of this flow (its full id).
/// - flows: active ones first, newest first, with outputs. `id`: only this one (id, prefix or @last), even if
///   lists omit it because it was removed or ended before flows_ended_since. `all_time`: omits only removed
///   ones. `manual_steps_only`: only flows with manual steps (engine/flow/flow.h).
/// - step_statistics: by project and step; steps of removed flows still count.
/// - solutions: newest first, with texts. `id`: only this one (id, prefix or @last). filter.tags: with all of
///   these tags. filter.projects: of these projects, and those that apply to all projects.
/// - facts: by project, subject, relation, object. `id`: only with this subject or object. filter.tags: only
///   with one of these relations. filter.projects: as above.
/// - todos: by id. `id`: only those whose id begins so. filter.ended=false: without completed ones.
/// - devices: by id, without secrets; only for callers who may see everything. filter.ended=false: without
///   revoked ones.
/// - schedules: by name, with their results. filter.schedules: only these. filter.ended=false: without those
///   that the configuration no longer has.
/// - catalogue: tools that agents could call, by project, tool, agent. filter.projects: as above.
/// - why: events of the one job in filter.jobs that explain its state: its lifecycle, warnings, and their
///   causes.
///
/// Filter: jobs by the time they were queued; events and activity by their own time; since <= t < until. By
/// the time of their end: jobs that have ended and were not retried since; ended_since <= t < ended_before.
/// Several projects, agents or states: any of them. Several tags: all of them. A filter by properties of jobs
/// omits rows without a job (system events). at_position or at_time_us other than 0: the answer as of that
/// point of the log (folds; see past_views.h). Errors:
/// - `no_such_job`, `ambiguous_job` (a prefix in filter.jobs)
/// - `bad_cursor`, `no_such_position`, `one_job` (usage; why needs exactly one job)
/// - `views_damaged` (trouble: rows could not be read)
Result<RowPage> run_query(const ViewReader& rows, const QuerySources& sources, const wire::QueryT& query);

/// The full id for an id, an unambiguous prefix, or "@last" (the newest job). Only jobs of projects for which
/// `may_see` is true. Errors: `no_such_job` (not_found), `ambiguous_job` (usage; the message lists some),
/// `views_damaged`.
Result<std::string> resolve_job(const ViewReader& rows, std::string_view name,
                                const std::function<bool(std::string_view project)>& may_see = {});

/// The same for a flow: `no_such_flow`, `ambiguous_flow`.
Result<std::string> resolve_flow(const ViewReader& rows, std::string_view name,
                                 const std::function<bool(std::string_view project)>& may_see = {});

/// The same for a solution: `no_such_solution`, `ambiguous_solution`. Everybody may see a solution without a
/// project.
Result<std::string> resolve_solution(const ViewReader& rows, std::string_view name,
                                     const std::function<bool(std::string_view project)>& may_see = {});
/// The same for a todo: `no_such_todo`, `ambiguous_todo`.
Result<std::string> resolve_todo(const ViewReader& rows, std::string_view name,
                                 const std::function<bool(std::string_view project)>& may_see = {});
/// Sets `text` from its blob; "(erased)" after a purge.
void join_solution_text(view::SolutionT& solution, const EventLog& log);

/// The row of a job with its task (at most `task_bytes` of it; ~0: whole; 0: none is read). `no_such_job`:
/// there is none. `views_damaged`: that cannot be determined.
Result<view::JobT> find_job(const ViewReader& rows, const EventLog& log, std::string_view id,
                            std::size_t task_bytes = ~std::size_t{0});

/// The project of an event: that of its job or project stream; empty: the system's.
std::string project_of_stream(const ViewReader& rows, std::string_view stream);

/// One event, encoded as stored. `no_such_position`: the log does not have it.
Result<std::string> read_event(const EventLog& log, Position position);

}  // namespace luzia
