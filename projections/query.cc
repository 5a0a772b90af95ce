// Chooses the view and the moment of a query; resolves names of jobs; reads single rows.
#include "projections/query.h"

#include <algorithm>

#include "engine/base/ids.h"
#include "engine/base/lower_case.h"
#include "projections/clock_stretches.h"
#include "projections/flows.h"
#include "projections/jobs.h"
#include "projections/learning.h"
#include "projections/past_views.h"
#include "projections/query_pages.h"
#include "projections/schedules.h"
#include "projections/stream_events.h"

namespace luzia {
namespace {

constexpr std::string_view kNewest = "@last";

struct ViewPage {
  wire::View view;
  Result<RowPage> (*page)(const QueryRun& run);
};

constexpr ViewPage kViewPages[] = {
    {wire::View::jobs, jobs_page},
    {wire::View::status, status_page},
    {wire::View::overview, overview_page},
    {wire::View::queue, queue_page},
    {wire::View::activity, activity_page},
    {wire::View::totals, totals_page},
    {wire::View::durations, durations_page},
    {wire::View::events, events_page},
    {wire::View::why, why_page},
    {wire::View::switches, switches_page},
    {wire::View::alerts, alerts_page},
    {wire::View::hooks, hooks_page},
    {wire::View::issues, issues_page},
    {wire::View::issue_days, issue_days_page},
    {wire::View::tools, tools_page},
    {wire::View::costs, costs_page},
    {wire::View::agent_limits, agent_limits_page},
    {wire::View::spending, spending_page},
    {wire::View::questions, questions_page},
    {wire::View::approvals, approvals_page},
    {wire::View::flows, flows_page},
    {wire::View::step_statistics, step_statistics_page},
    {wire::View::outcomes, outcomes_page},
    {wire::View::solutions, solutions_page},
    {wire::View::facts, facts_page},
    {wire::View::todos, todos_page},
    {wire::View::catalogue, catalogue_page},
    {wire::View::devices, devices_page},
    {wire::View::schedules, schedules_page},
};

bool reads_events(wire::View view) {
  return view == wire::View::events || view == wire::View::why;
}

/// Views in which the rows of a job follow from the events of its stream alone.
bool is_of_jobs(wire::View view) {
  return view == wire::View::jobs || view == wire::View::questions || view == wire::View::approvals;
}

Result<Position> asked_position(const EventLog& log, const ViewReader& present, const wire::QueryT& query) {
  if (query.at_position == 0) return position_at_time(log, present, query.at_time_us);
  if (query.at_position <= log.tip().position) return query.at_position;
  return fail(ErrorKind::usage, "no_such_position",
              "the log has no position " + std::to_string(query.at_position) + ": it ends at " +
                  std::to_string(log.tip().position));
}

/// The time at the moment that is asked for.
Result<TimeUs> asked_time(const EventLog& log, const wire::QueryT& query) {
  if (query.at_position == 0) return query.at_time_us;
  const auto event = LUZIA_TRY(read_event(log, query.at_position));
  return schema::GetEvent(event.data())->time_us();
}

/// The past rows. For a few jobs, folds only their streams; otherwise everything up to that moment.
using SharedPast = std::shared_ptr<const PastViews>;

Result<SharedPast> shared(Result<PastViews> past) {
  if (!past) return tl::unexpected(past.error());
  return std::make_shared<const PastViews>(std::move(*past));
}

Result<SharedPast> all_past_rows(const QuerySources& sources, Position at) {
  if (sources.past != nullptr && sources.past->views && sources.past->at == at) return sources.past->views;
  auto views = shared(PastViews::fold_all(sources.log, at, sources.stop, sources.threads));
  if (views && sources.past != nullptr) *sources.past = {at, *views};
  return views;
}

Result<SharedPast> past_rows(const ViewReader& present, const QuerySources& sources,
                             const wire::QueryT& query, Position at) {
  // Only all rows of that time tell which flow was the newest then.
  if (query.view == wire::View::flows && !query.id.empty() && query.id != kNewest) {
    const auto id = LUZIA_TRY(resolve_flow(present, query.id, sources.may_see));
    return shared(PastViews::fold_flow(sources.log, present, id, at));
  }
  if (!is_of_jobs(query.view) || !query.filter || query.filter->jobs.empty()) {
    return all_past_rows(sources, at);
  }
  std::vector<std::string> jobs;
  for (const std::string& name : query.filter->jobs) {
    auto id = LUZIA_TRY(resolve_job(present, name, sources.may_see));
    jobs.push_back(std::move(id));
  }
  return shared(PastViews::fold_jobs(sources.log, present, jobs, at));
}

/// A job of the filter that exists now but did not exist then; empty: none.
std::string born_later(const ViewReader& present, const QuerySources& sources, const wire::QueryT& query,
                       Position at) {
  for (const std::string& name : query.filter ? query.filter->jobs : std::vector<std::string>()) {
    const auto id = resolve_job(present, name, sources.may_see);
    const auto row = id ? find_job_row(present, *id) : std::nullopt;
    if (row && row->queued_position > at) return name;
  }
  return {};
}

bool names_newest(const wire::QueryT& query) {
  return query.filter && std::ranges::find(query.filter->jobs, kNewest) != query.filter->jobs.end();
}

/// A job's removal is its last event, so its position is that of the row.
bool was_removed(const view::Job& job, Position at) {
  return job.removed_us() != 0 && job.position() <= at;
}

/// Replaces @last by the id of the job that was the newest at that position.
Result<wire::QueryT> with_newest_of(const ViewReader& present, const QuerySources& sources,
                                    const wire::QueryT& query, Position at) {
  std::string id;
  present.scan_back(row_key(kJobsView, ""), row_end(kJobsView),
                    [&](std::string_view key, std::string_view value) {
                      const StoredRow<view::Job> job(value);
                      const bool seen = !sources.may_see || sources.may_see(text(job->project()));
                      const bool there = job->queued_position() <= at && !was_removed(*job, at);
                      if (seen && there) id = key.substr(2);
                      return id.empty();
                    });
  LUZIA_TRY(present.status());
  if (id.empty()) {
    return fail(ErrorKind::not_found, "no_such_job",
                "there was no job yet at position " + std::to_string(at) + ", so @last names none",
                "luzia-query jobs --all lists all jobs");
  }
  wire::QueryT named(query);
  std::ranges::replace(named.filter->jobs, std::string(kNewest), id);
  return named;
}

Result<RowPage> run_past(const ViewReader& present, const QuerySources& sources, const wire::QueryT& query) {
  const auto at = LUZIA_TRY(asked_position(sources.log, present, query));
  if (names_newest(query)) {
    const auto named = LUZIA_TRY(with_newest_of(present, sources, query, at));
    return run_past(present, sources, named);
  }
  if (const std::string name = born_later(present, sources, query, at); !name.empty()) {
    return fail(ErrorKind::not_found, "no_such_job",
                "there was no job '" + name + "' yet at position " + std::to_string(at),
                "without --at it is shown as it is now");
  }
  if (reads_events(query.view)) return page_of_view({present, sources, query, at});
  const auto past = LUZIA_TRY(past_rows(present, sources, query, at));
  const auto then = LUZIA_TRY(asked_time(sources.log, query));
  QuerySources of_past{sources.log, sources.may_see, {}};
  of_past.now = then;
  auto page = page_of_view({past->rows(), of_past, query, at});
  if (past->rows().status()) return page;
  // The earlier rows from which it was folded are damaged, but the log is not.
  const auto whole = LUZIA_TRY(shared(PastViews::fold_all(sources.log, at, sources.stop, sources.threads)));
  if (sources.past != nullptr) *sources.past = {at, whole};
  return page_of_view({whole->rows(), of_past, query, at});
}

/// At most `limit` ids of visible jobs that begin with `prefix`; if there are none, those of removed jobs.
std::vector<std::string> ids_with_prefix(const ViewReader& rows, std::string_view prefix, std::size_t limit,
                                         const std::function<bool(std::string_view)>& may_see) {
  std::vector<std::string> ids, removed;
  rows.scan(row_key(kJobsView, prefix), row_key(kJobsView, std::string(prefix) + '\xff'),
            [&](std::string_view key, std::string_view value) {
              const StoredRow<view::Job> job(value);
              auto& its = job->removed_us() == 0 ? ids : removed;
              const bool seen = !may_see || may_see(text(job->project()));
              if (seen && its.size() < limit) its.emplace_back(key.substr(2));
              return ids.size() < limit;
            });
  return ids.empty() ? removed : ids;
}

Result<std::string> newest_job(const ViewReader& rows, const std::function<bool(std::string_view)>& may_see) {
  std::string id;
  rows.scan_back(row_key(kJobsView, ""), row_end(kJobsView),
                 [&](std::string_view key, std::string_view value) {
                   const StoredRow<view::Job> job(value);
                   const bool seen = !may_see || may_see(text(job->project()));
                   if (seen && job->removed_us() == 0) id = key.substr(2);
                   return id.empty();
                 });
  if (id.empty())
    return fail(ErrorKind::not_found, "no_such_job", "there is no job yet, so @last names none");
  return id;
}

tl::unexpected<Error> no_such_job(std::string_view name) {
  const bool is_flow = name.starts_with("f-");
  return fail(ErrorKind::not_found, "no_such_job", "no job '" + std::string(name) + "'",
              is_flow ? "that is a flow: luzia flow status " + std::string(name) + ", luzia flow history " +
                            std::string(name)
                      : "luzia jobs --all lists all jobs");
}

}  // namespace

Result<RowPage> page_of_view(const QueryRun& run) {
  const auto known = std::ranges::find(kViewPages, run.query.view, &ViewPage::view);
  if (known != std::end(kViewPages)) return known->page(run);
  return fail(ErrorKind::usage, "unknown_view", "this program does not know the view that was asked for",
              "use the same version of luzia and luziad");
}

std::string full_beginning(std::string_view name, std::string_view begin) {
  return std::string(name.starts_with(begin) ? "" : begin).append(name == kNewest ? "" : name);
}

Result<RowPage> run_query(const ViewReader& rows, const QuerySources& sources, const wire::QueryT& query) {
  const bool past = query.at_position != 0 || query.at_time_us != 0;
  auto page =
      past ? run_past(rows, sources, query) : page_of_view({rows, sources, query, rows.cursor().position});
  // Unreadable rows are missing from the page, or turned it into an error.
  LUZIA_TRY(rows.status());
  return page;
}

Result<std::string> resolve_job(const ViewReader& rows, std::string_view name,
                                const std::function<bool(std::string_view project)>& may_see) {
  if (name == kNewest) {
    auto newest = newest_job(rows, may_see);
    LUZIA_TRY(rows.status());
    return newest;
  }
  const std::string prefix = lower_case(name);
  // A complete id is looked up, which is cheaper than a scan by prefix.
  if (is_job_id(prefix)) {
    const auto row = read_row<view::Job>(rows, kJobsView, prefix);
    if (row && (!may_see || may_see(text((*row)->project())))) return prefix;
  }
  const auto ids = is_job_id_prefix(prefix) ? ids_with_prefix(rows, prefix, kNamedInErrors + 1, may_see)
                                            : std::vector<std::string>{};
  LUZIA_TRY(rows.status());
  if (ids.size() == 1) return ids.front();
  if (ids.empty()) return no_such_job(name);
  std::string named;
  for (std::size_t i = 0; i < std::min(ids.size(), kNamedInErrors); ++i) named += (i ? ", " : "") + ids[i];
  if (ids.size() > kNamedInErrors) named += ", ...";
  return fail(ErrorKind::usage, "ambiguous_job", "'" + std::string(name) + "' fits several jobs: " + named,
              "type more of the id");
}

Result<view::JobT> find_job(const ViewReader& rows, const EventLog& log, std::string_view id,
                            std::size_t task_bytes) {
  auto row = find_job_row(rows, id);
  LUZIA_TRY(rows.status());
  if (!row) return no_such_job(id);
  if (task_bytes > 0) join_task(*row, log, task_bytes, task_bytes);
  return std::move(*row);
}

std::string project_of_stream(const ViewReader& rows, std::string_view stream) {
  constexpr std::string_view kProjectStream = "project/";
  if (stream.starts_with(kProjectStream)) return std::string(stream.substr(kProjectStream.size()));
  if (const std::string_view flow = flow_of_stream(stream); !flow.empty()) {
    const auto state = find_flow_state(rows, flow);
    return state ? state->project : std::string();
  }
  if (const std::string_view name = schedule_of_stream(stream); !name.empty()) {
    const auto schedule = find_schedule(rows, name);
    return schedule ? schedule->project : std::string();
  }
  if (auto project = project_of_lesson(rows, stream)) return std::move(*project);
  const std::string_view job = job_of_stream(stream);
  if (job.empty()) return {};
  const auto row = read_row<view::Job>(rows, kJobsView, job);
  return row ? std::string(text((*row)->project())) : std::string();
}

Result<std::string> read_event(const EventLog& log, Position position) {
  std::string bytes;
  Status read = visit_events(log, {position}, [&](const schema::Event&, Bytes encoded) {
    bytes = as_text(encoded);
    return false;
  });
  if (!read) return tl::unexpected(read.error());
  if (bytes.empty()) {
    return fail(ErrorKind::usage, "no_such_position", "the log has no position " + std::to_string(position));
  }
  return bytes;
}

}  // namespace luzia
