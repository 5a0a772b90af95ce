#include "tests/simulation/flow_rules.h"

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

}  // namespace

std::string FlowRules::take(const schema::Event& event, const std::map<std::string, JobState>& jobs) {
  const std::string id(flow_of_stream(text(event.stream())));
  const auto* fact = event.payload_as_FlowEvent();
  if (id.empty() || fact == nullptr) return {};
  Flow& flow = flows_[id];
  std::string wrong;
  if (fact->fact_as_FlowCreated() != nullptr && !flow.id.empty()) wrong = "flow " + id + " was created twice";
  if (const auto* queued = fact->fact_as_StepQueued()) wrong = check_queued(flow, *queued, jobs);
  if (const auto* ended = fact->fact_as_FlowEnded();
      ended != nullptr && flow.state != view::FlowState::active) {
    wrong = "flow " + id + " has ended twice";
  }
  evolve(flow, event);
  return wrong;
}

std::string FlowRules::check_ends(TimeUs now) const {
  for (const auto& [id, flow] : flows_) {
    const auto left = steps_to_hand_over(flow, now, [](const std::string&) { return false; });
    if (!left.empty()) return "flow " + id + " never handed over " + left.front();
    if (next_hand_over(flow, now) != 0) return "flow " + id + " waits for a moment that came";
  }
  return {};
}

}  // namespace luzia::test
