// Pages of flows and of step statistics; one flow with its texts.
#include <algorithm>

#include "engine/base/hash.h"
#include "engine/base/joined_names.h"
#include "engine/base/utf8.h"
#include "projections/flows.h"
#include "projections/issues.h"
#include "projections/jobs.h"
#include "projections/named_rows_page.h"
#include "projections/query_pages.h"
#include "projections/rows/row_bytes.h"

namespace luzia {
namespace {

constexpr std::size_t kShownIssues = 10;
constexpr std::string_view kFlowIdBegin = "f-";

/// What a job said last; for an agent, its closing words.
std::string words_of_job(const ViewReader& rows, const std::string& job) {
  const auto row = find_job_row(rows, job);
  if (!row) return {};
  return row->outcome_text.empty() ? row->last_line : row->outcome_text;
}

/// Limit of the output of each step of a single flow.
constexpr std::size_t kOutputAlone = 32 * 1024;

void join_outputs(Flow& flow, const ViewReader& rows, const EventLog& log, std::size_t most) {
  for (auto& step : flow.steps) {
    if (step->output_text) {
      step->output = shown_text(log, step->output_position, *step->output_text);
    } else if (!step->job.empty() && step->ended_us != 0) {
      step->output = words_of_job(rows, step->job);
    }
    if (step->output.size() > most) step->output = bounded_utf8(step->output, most).append("...");
  }
}

void join_issues_of(const std::string& job, Flow& flow, const ViewReader& rows) {
  const std::string from = row_key(kIssuesView, issues_key(job, ""));
  rows.scan(from, after_prefix(from), [&](std::string_view, std::string_view value) {
    const StoredRow<view::Issue> issue(value);
    std::string said = std::string(text(issue->pattern())).append(": ").append(text(issue->line()));
    // Each try meets the same issue again.
    const bool known = std::ranges::find(flow.issues, said) != flow.issues.end();
    const bool shown = issue->state() != view::IssueState::fixed && !issue->folded();
    if (shown && !known) flow.issues.push_back(std::move(said));
    return flow.issues.size() < kShownIssues;
  });
}

/// Issues that are not fixed, from the newest steps and their last tries first.
void join_issues(Flow& flow, const ViewReader& rows) {
  for (auto step = flow.steps.rbegin(); step != flow.steps.rend(); ++step) {
    for (auto job = (*step)->jobs.rbegin(); job != (*step)->jobs.rend(); ++job) {
      join_issues_of(*job, flow, rows);
      if (flow.issues.size() >= kShownIssues) return;
    }
  }
}

bool has_all_tags(const Flow& flow, const std::vector<std::string>& tags) {
  return std::ranges::all_of(
      tags, [&](const auto& tag) { return std::ranges::find(flow.tags, tag) != flow.tags.end(); });
}

/// A flow in the words of a filter's states.
schema::JobState filtered_state(view::FlowState state) {
  switch (state) {
    case view::FlowState::active:
      return schema::JobState::running;
    case view::FlowState::completed:
      return schema::JobState::completed;
    case view::FlowState::failed:
      return schema::JobState::failed;
    case view::FlowState::cancelled:
      return schema::JobState::cancelled;
  }
  return schema::JobState::none;
}

/// Whether the filter's jobs and agents include one of a step.
bool takes_a_step(const QueryRun& run, const QueryFilter& filter, const Flow& flow) {
  if (filter.jobs().empty() && filter.takes_every_agent()) return true;
  const auto takes = [&](const std::string& id) {
    if (id.empty() || !filter.takes_job_id(id)) return false;
    const auto job = filter.takes_every_agent() ? std::nullopt : find_job_row(run.rows, id);
    return filter.takes_every_agent() || (job && filter.takes_agent(job->agent));
  };
  return std::ranges::any_of(flow.steps, [&](const auto& step) {
    const bool is_to_come = filter.jobs().empty() && step->job.empty() && step->has_prompt;
    return (is_to_come && filter.takes_agent(step->agent)) || takes(step->job) ||
           std::ranges::any_of(step->jobs, takes);
  });
}

/// Saves unpacking most rows: most flows do not run by themselves.
bool may_have_manual_steps(std::string_view row) {
  const StoredRow<view::Flow> stored(row);
  return stored->runs() && stored->state() == view::FlowState::active;
}

/// Likewise for a filter by jobs: whether a step names one of them.
bool may_have_jobs(std::string_view row, const QueryFilter& filter) {
  if (filter.jobs().empty()) return true;
  const StoredRow<view::Flow> stored(row);
  const auto takes = [&](const auto* id) { return filter.takes_job_id(text(id)); };
  return stored->steps() != nullptr && std::ranges::any_of(*stored->steps(), [&](const auto* step) {
           return takes(step->job()) ||
                  (step->jobs() != nullptr && std::ranges::any_of(*step->jobs(), takes));
         });
}

/// Whether lists omit the flow because it was removed or ended long ago. Past states and queries of all
/// history still include an old one.
bool is_put_away(const QueryRun& run, const Flow& flow) {
  if (flow.removed_us != 0) return true;
  const bool past = run.query.at_position != 0 || run.query.at_time_us != 0;
  if (past || run.query.all_time) return false;
  return flow.ended_us != 0 && flow.ended_us < run.sources.flows_ended_since;
}

Result<RowPage> one_flow(const QueryRun& run) {
  const auto id = LUZIA_TRY(resolve_flow(run.rows, run.query.id, run.sources.may_see));
  auto flow = find_flow_state(run.rows, id);
  RowPage page{wire::RowType::flow, {}, {}, run.at};
  if (!flow) return page;
  join_outputs(*flow, run.rows, run.sources.log, kOutputAlone);
  join_issues(*flow, run.rows);
  page.rows.push_back(row_bytes(*flow));
  return page;
}

}  // namespace

Result<RowPage> flows_page(const QueryRun& run) {
  if (!run.query.id.empty()) return one_flow(run);
  const auto filter = LUZIA_TRY(QueryFilter::make(run.rows, run.sources, run.query.filter.get()));
  const auto before = LUZIA_TRY(cursor_key(run.query.cursor));
  const std::vector<std::string> tags =
      run.query.filter ? run.query.filter->tags : std::vector<std::string>();
  RowPage page{wire::RowType::flow, {}, {}, run.at};
  const std::size_t limit = page_limit(run.query);
  const bool only_manual = run.query.manual_steps_only;
  std::string last;
  std::size_t bytes = 0;
  const auto offer = [&](std::string_view key, std::string_view value) {
    if (only_manual && !may_have_manual_steps(value)) return true;
    if (!may_have_jobs(value, filter)) return true;
    Flow flow = StoredRow<view::Flow>(value).native();
    if (only_manual && manual_steps(flow).empty()) return true;
    if (!filter.takes_project(flow.project) || !filter.takes_time(flow.created_us)) return true;
    if (!has_all_tags(flow, tags) || is_put_away(run, flow)) return true;
    if (!filter.takes_state(filtered_state(flow.state)) || !takes_a_step(run, filter, flow)) return true;
    if (page.rows.size() == limit || bytes > run.page_bytes) {
      page.next = to_hex(as_bytes(last));
      return false;
    }
    last = key.substr(row_key(kFlowsView, "").size());
    join_outputs(flow, run.rows, run.sources.log, kOutputInLists);
    bytes += page.rows.emplace_back(row_bytes(flow)).size();
    return true;
  };
  // Active ones first; newest first within each part.
  if (!before.starts_with('e')) {
    const std::string end = before.empty() ? "b" : before;
    run.rows.scan_back(row_key(kFlowsView, "a"), row_key(kFlowsView, end), offer);
  }
  if (filter.ended() && page.next.empty()) {
    const std::string end = before.starts_with('e') ? before : "f";
    run.rows.scan_back(row_key(kFlowsView, "e"), row_key(kFlowsView, end), offer);
  }
  return page;
}

Result<RowPage> step_statistics_page(const QueryRun& run) {
  const auto filter = LUZIA_TRY(QueryFilter::make(run.rows, run.sources, run.query.filter.get()));
  return named_rows_page<view::StepStatistic>(
      run, kStepStatisticsView, wire::RowType::step_statistic, [&](const view::StepStatistic& row) {
        return filter.takes_project(text(row.project())) &&
               (run.query.text.empty() || text(row.step()) == run.query.text);
      });
}

Result<std::string> resolve_flow(const ViewReader& rows, std::string_view name,
                                 const std::function<bool(std::string_view project)>& may_see) {
  if (name.empty()) {
    return fail(ErrorKind::usage, "no_flow", "no flow is named", "give an id, its beginning, or @last");
  }
  std::vector<std::string> ids;
  const bool newest = name == "@last";
  const std::string prefix = full_beginning(name, kFlowIdBegin);
  for (const char kind : {'a', 'e'}) {
    const std::string from = std::string(1, kind) + prefix;
    const auto take = [&](std::string_view key, std::string_view value) {
      const StoredRow<view::Flow> flow(value);
      const bool shown = !newest || flow->removed_us() == 0;
      if (shown && (!may_see || may_see(text(flow->project())))) ids.emplace_back(key.substr(3));
      return newest ? ids.empty() || ids.back().empty() : ids.size() <= kNamedInErrors;
    };
    if (newest) {
      rows.scan_back(row_key(kFlowsView, from), row_key(kFlowsView, from + '\xff'), take);
    } else {
      rows.scan(row_key(kFlowsView, from), row_key(kFlowsView, from + '\xff'), take);
    }
  }
  LUZIA_TRY(rows.status());
  if (newest && !ids.empty()) return *std::ranges::max_element(ids);
  if (ids.size() == 1) return ids.front();
  if (const auto exact = std::ranges::find(ids, prefix); exact != ids.end()) return *exact;
  if (ids.empty()) {
    return fail(ErrorKind::not_found, "no_such_flow", "no flow '" + std::string(name) + "'",
                "luzia flow list --all lists them");
  }
  return fail(ErrorKind::usage, "ambiguous_flow",
              "'" + std::string(name) + "' fits several flows: " + joined_names(ids), "type more of the id");
}

}  // namespace luzia
