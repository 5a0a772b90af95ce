#include "tests/simulation/flow_rules.h"

#include <algorithm>
#include <set>

#include "projections/flow_gates.h"
#include "projections/flows.h"
#include "projections/jobs.h"
#include "projections/query.h"
#include "projections/rows/row_bytes.h"

namespace luzia::test {
namespace {

std::string named(const Flow& flow, const view::FlowStepT& step) {
  return "step " + step.name + " of " + flow.id;
}

std::string check_queued(const Flow& flow, const schema::StepQueued& fact,
                         const std::map<std::string, JobState>& jobs) {
  const view::FlowStepT* step = find_step(flow, text(fact.step()));
  if (step == nullptr) return "a job is queued for no step of " + flow.id;
  if (flow.state != view::FlowState::active)
    return named(flow, *step) + " is handed over after the flow's end";
  if (step->queued || step->state == schema::StepState::in_progress) {
    return named(flow, *step) + " is handed over while it is being done";
  }
  if (!needs_are_met(flow, *step)) return named(flow, *step) + " is handed over before what it needs";
  if (!step->gate.empty() && step->gate_state != view::GateState::opened) {
    return named(flow, *step) + " is handed over through a shut gate";
  }
  if (!jobs.contains(std::string(text(fact.job()))))
    return named(flow, *step) + " has a job that was never queued";
  return {};
}

std::string check_started(const Flow& flow, const schema::StepStarted& fact) {
  const view::FlowStepT* step = find_step(flow, text(fact.step()));
  if (step == nullptr) return "no step of " + flow.id + " is started";
  if (step->gate.empty() || step->gate_state == view::GateState::opened) return {};
  return named(flow, *step) + " is started behind a shut gate";
}

/// Events that may be recorded about a flow between its removal and its continuation: notes and tags about
/// it, and the ends of jobs that outlived it.
bool is_said_of_removed(const Flow& flow, const schema::FlowEvent& event) {
  using schema::FlowFact;
  if (const auto* ended = event.fact_as_StepEnded()) {
    const view::FlowStepT* step = find_step(flow, text(ended->step()));
    const bool busy = step != nullptr && (step->queued || step->state == schema::StepState::in_progress);
    return busy && !step->job.empty() && step->job == text(ended->job());
  }
  constexpr FlowFact kWords[] = {FlowFact::FlowReopened, FlowFact::FlowTagged, FlowFact::FlowNoted,
                                 FlowFact::FlowResumed, FlowFact::FollowUpSuggested};
  return std::ranges::find(kWords, event.fact_type()) != std::end(kWords);
}

std::string check_removed(const Flow& flow, const schema::FlowEvent& event) {
  const bool is_removal = event.fact_type() == schema::FlowFact::FlowRemoved;
  if (is_removal && flow.state == view::FlowState::active) return "flow " + flow.id + " is removed under way";
  if (flow.removed_us == 0 || is_said_of_removed(flow, event)) return {};
  if (is_removal) return "flow " + flow.id + " is removed twice";
  return "flow " + flow.id + " was removed and still gets " + schema::EnumNameFlowFact(event.fact_type());
}

/// The ids in a list of all flows.
std::set<std::string> listed_flows(const ViewReader& rows, const EventLog& log) {
  std::set<std::string> ids;
  wire::QueryT query;
  query.view = wire::View::flows;
  query.filter = std::make_unique<wire::FilterT>();
  do {
    const auto page = run_query(rows, {log, {}, {}}, query);
    if (!page) return {page.error().message};
    for (const std::string& bytes : page->rows) {
      ids.emplace(text(verified_row<view::Flow>(as_bytes(bytes))->id()));
    }
    query.cursor = page->next;
  } while (!query.cursor.empty());
  return ids;
}

/// Flows that wait at a gate, according to the prompts that people see.
std::set<std::string> flows_at_gates(const ViewReader& rows) {
  std::set<std::string> ids;
  rows.scan(row_key(kFlowGatesView, "o"), row_key(kFlowGatesView, "p"),
            [&](std::string_view, std::string_view value) {
              const std::string id(text(StoredRow<view::Approval>(value)->id()));
              ids.insert(id.substr(0, id.find('/')));
              return true;
            });
  return ids;
}

std::string check_kept(const Flow& flow, const ViewReader& rows) {
  const auto kept = find_flow_state(rows, flow.id);
  if (!kept || row_bytes(*kept) != row_bytes(flow)) return "the row of removed " + flow.id + " is not kept";
  for (const auto& step : flow.steps) {
    const auto lost = std::ranges::find_if_not(
        step->jobs, [&](const std::string& job) { return find_job_row(rows, job).has_value(); });
    if (lost != step->jobs.end()) return "job " + *lost + " went with " + flow.id;
  }
  return {};
}

}  // namespace

std::string FlowRules::take(const schema::Event& event, const std::map<std::string, JobState>& jobs) {
  const std::string id(flow_of_stream(text(event.stream())));
  const auto* fact = event.payload_as_FlowEvent();
  if (id.empty() || fact == nullptr) return {};
  Flow& flow = flows_[id];
  std::string wrong;
  if (fact->fact_as_FlowCreated() != nullptr && !flow.id.empty()) wrong = "flow " + id + " was created twice";
  if (const auto* queued = fact->fact_as_StepQueued()) wrong = check_queued(flow, *queued, jobs);
  if (const auto* started = fact->fact_as_StepStarted()) wrong = check_started(flow, *started);
  if (const auto* ended = fact->fact_as_FlowEnded();
      ended != nullptr && flow.state != view::FlowState::active) {
    wrong = "flow " + id + " has ended twice";
  }
  if (wrong.empty()) wrong = check_removed(flow, *fact);
  if (fact->fact_type() == schema::FlowFact::FlowRemoved) ++removals_;
  evolve(flow, event);
  return wrong;
}

std::string FlowRules::check_ends(TimeUs now) const {
  for (const auto& [id, flow] : flows_) {
    const auto left = steps_to_dispatch(flow, now, [](const std::string&) { return false; });
    if (!left.empty()) return "flow " + id + " never handed over " + left.front();
    if (next_dispatch(flow, now) != 0) return "flow " + id + " waits for a moment that came";
  }
  return {};
}

std::string FlowRules::check_rows(const ViewReader& rows, const EventLog& log) const {
  const auto listed = listed_flows(rows, log);
  const auto asking = flows_at_gates(rows);
  for (const auto& [id, flow] : flows_) {
    if (flow.id.empty()) continue;
    const bool removed = flow.removed_us != 0;
    if (listed.contains(id) == removed) return "lists " + std::string(removed ? "still name " : "miss ") + id;
    if (!removed) continue;
    if (asking.contains(id)) return "people are asked about " + id + ", which was removed";
    if (std::string wrong = check_kept(flow, rows); !wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace luzia::test
