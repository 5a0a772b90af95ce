// Answers to queries: pages of rows over one consistent set of rows, with filters, cursors and the state as
// it was. Any thread; nothing here changes anything.
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
#include "protocol.fb.h"
#include "view.fb.h"

namespace luzia {

class PastViews;

/// All rows of one moment of the past.
struct PastRows {
  Position at = 0;
  std::shared_ptr<const PastViews> views;  // null: none yet
};

/// What a query needs besides the rows. `log` outlives the call.
struct QuerySources {
  const EventLog& log;
  /// Whether the caller may see rows of this project; unset: all. Rows of no project are shown to those who
  /// see everything (unset) only.
  std::function<bool(std::string_view project)> may_see;
  /// Joins what only memory knows (last line) to a job's row; may be unset. Not called for the past.
  std::function<void(view::JobT&)> join_live;
  /// Ends a long fold of the past (`cancelled`).
  std::stop_token stop = {};
  /// Keeps all rows of the past that a query had to fold, for the next query of the same moment; may be null.
  PastRows* past = nullptr;
  /// What is over by now is left out of what holds jobs back; 0: nothing is. Of the past its own time counts.
  TimeUs now = 0;
  /// Flows that ended before are left out of lists of the present (kFlowsOfAllTime); 0: none is.
  TimeUs flows_ended_since = 0;
  /// The caller asks the scheduler that runs why queued jobs wait; else it is told as far as rows tell. Not
  /// of the past.
  bool scheduler_tells = false;
  /// For a long fold of the past.
  FoldThreads threads = FoldThreads::several;
};

/// One page. Each row is a finished FlatBuffer of the type that `type` names (view::Job, schema::Event, ...),
/// as wire::Rows carries it. `next`: cursor of the following page, empty at the end. `position`: the state's
/// place in the log.
struct RowPage {
  wire::RowType type = wire::RowType::job;
  std::vector<std::string> rows;
  std::string next;
  Position position = 0;
};

constexpr std::uint32_t kDefaultLimit = 50;
constexpr std::uint32_t kMaxLimit = 1000;
constexpr std::size_t kTaskBytesInLists = 4096;
/// `text` of a query for jobs that wants their whole tasks.
constexpr const char* kWholeTasks = "whole tasks";
/// `text` of a query for jobs that wants to know how short an id may be: of each job of the filter a row that
/// has nothing but an `id`, the shortest beginning that names this job alone among those that the caller may
/// see. An older daemon answers with whole rows.
constexpr const char* kBeginnings = "beginnings";
/// `text` of a query for the status that wants to name more of a long queue.
constexpr const char* kLongStatus = "long";
/// `text` of a query for flows that wants all that ever were, as exports and statistics do: those too that
/// ended longer ago than lists go back, whatever the clock says. Flows that somebody removed are in neither.
constexpr const char* kFlowsOfAllTime = "flows of all time";
/// `text` of a query for flows that wants those alone that have manual steps (engine/flow/flow.h).
constexpr const char* kFlowsWithManualSteps = "manual steps";
/// `text` of a query for issues that wants those alone that are not fixed.
constexpr const char* kOpenIssues = "open";

/// Answers `query` from `rows`. Views:
/// Jobs that were removed, and what is of them alone, are in no list; a filter that names one finds it.
/// - jobs: newest first; filter.ended=false shows only what is not terminal. cursor: last id of the page
///   before. Tasks are cut, unless `text` is kWholeTasks: then a page also ends after 4 MiB
/// - status: jobs that are not terminal (up to 1,000): newest first, then the first kQueuedInStatus
///   queued ones (`text` kLongStatus: kQueuedInLongStatus) in the order of start; then the last ended ones
///   (limit, default 10), and where these are fewer, imported ones and others of the newest 1,000 jobs
/// - queue: in the order of start; positions, and why jobs wait, filled
/// - switches: what keeps jobs from starting: pauses and drain of everything (scope ""), pauses, breakers and
/// used-up budgets of projects
/// - spending: what each project, and all together (first), used on the present day
/// - activity: newest first
/// - totals: per project, by name
/// - durations: per measure, project, agent
/// - events: oldest first; of the whole log, or of the jobs of filter.jobs and the flow that `id` names.
/// cursor: last position seen (any
///   number will do). A page ends after 100,000 events looked at, so it may be short and still have a `next`
/// - issues: those of the newest jobs first; `text` kOpenIssues: only what is not fixed
/// - alerts: of the machine, each once, by name; filter.ended=false shows only what is open
/// - hooks: by name, how far each has been told; for those who see everything
/// - questions, approvals: open ones first, the oldest first, then those that are over, the newest first;
/// with their texts ("(erased)" after a purge); filter.ended=false shows only what is open. Times are when it
/// was asked. A page also ends after 4 MiB. One that is closed between two pages is on the second again
/// - flows: active ones first, the newest first, outputs joined; `id`: one alone (id, prefix or @last), also
/// where lists leave it out: it was removed, or ended before flows_ended_since (`text` kFlowsOfAllTime: only
/// removed ones are left out; kFlowsWithManualSteps: those alone)
/// - step_statistics: by project and step; what steps of removed flows taught stays in them
/// - solutions: newest first, texts joined; `id`: one alone (id, prefix or @last). filter.tags: all of them;
/// filter.projects: of these, and those of no project, which are everybody's
/// - facts: by project, subject, relation, object; `id`: about this thing, as subject or object; filter.tags:
/// of one of these relations; filter.projects as above
/// - catalogue: tools that agents could call, by project, tool, agent; filter.projects as above
/// - why: events of the one job of filter.jobs that explain its state: its life, warnings, what caused them
///
/// Filter: jobs by when they were queued, events and activity by their own time; since <= t < until. Several
/// projects, agents, states: any of them; several tags: all of them. What concerns no job (system events) is
/// left out as soon as the filter asks for something of jobs. at_position / at_time_us other than 0: the same
/// answer as the log up to there gives (folds; see past_views.h). Errors: `no_such_job`, `ambiguous_job` (a
/// prefix in filter.jobs), `bad_cursor`, `no_such_position` (usage), `one_job` (usage: why needs exactly
/// one), `views_damaged` (trouble: rows could not be read).
Result<RowPage> run_query(const ViewReader& rows, const QuerySources& sources, const wire::QueryT& query);

/// The full id for an id, an unambiguous prefix, or "@last" (the newest job); only jobs of projects that
/// `may_see` lets through. Errors: `no_such_job` (not_found), `ambiguous_job` (usage; the message lists
/// some), `views_damaged`.
Result<std::string> resolve_job(const ViewReader& rows, std::string_view name,
                                const std::function<bool(std::string_view project)>& may_see = {});

/// The same for a flow: `no_such_flow`, `ambiguous_flow`.
Result<std::string> resolve_flow(const ViewReader& rows, std::string_view name,
                                 const std::function<bool(std::string_view project)>& may_see = {});

/// The same for a solution: `no_such_solution`, `ambiguous_solution`. One of no project is everybody's.
Result<std::string> resolve_solution(const ViewReader& rows, std::string_view name,
                                     const std::function<bool(std::string_view project)>& may_see = {});
/// Fills `text` from its blob: "(erased)" after a purge.
void join_solution_text(view::SolutionT& solution, const EventLog& log);

/// The row of a job with its task joined (at most `task_bytes` of it; ~0 = whole). `no_such_job` if there is
/// none, `views_damaged` if that cannot be told.
Result<view::JobT> find_job(const ViewReader& rows, const EventLog& log, std::string_view id,
                            std::size_t task_bytes = ~std::size_t{0});

/// A question or approval by its full id, with its texts. `no_such_question`, `no_such_approval` (not_found),
/// `views_damaged`. Whether the caller may see its project is the caller's to check.
Result<view::QuestionT> find_question(const ViewReader& rows, const EventLog& log, std::string_view id);
Result<view::ApprovalT> find_approval(const ViewReader& rows, const EventLog& log, std::string_view id);

/// The project that an event concerns: of its job's stream or its project's stream; empty for the system's.
std::string project_of_stream(const ViewReader& rows, std::string_view stream);

/// One event, encoded as stored. `no_such_position` when the log does not have it.
Result<std::string> read_event(const EventLog& log, Position position);

}  // namespace luzia
