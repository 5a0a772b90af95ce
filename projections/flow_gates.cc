#include "projections/flow_gates.h"

#include <algorithm>

#include "projections/flows.h"
#include "projections/rows/event_text.h"
#include "projections/rows/flow_rows.h"

namespace luzia {
namespace {

std::string waiting_gate_key(std::string_view id) {
  return std::string("o").append(id);
}
std::string past_gate_key(const view::ApprovalT& row) {
  return "c" + big_endian_64(row.position) + row.id;
}

bool is_decided(view::GateState state) {
  return state == view::GateState::opened || state == view::GateState::denied;
}

/// The wait ended without a decision.
void withdraw(view::ApprovalT& row, const view::FlowStepT& step) {
  row.state = view::QuestionState::cancelled;
  row.reason = step.state == schema::StepState::pending
                   ? "the flow has ended"
                   : "the step is " + std::string(step_state_name(step.state));
}

}  // namespace

std::vector<GateStanding> standing_of_gates(const Flow& flow) {
  std::vector<GateStanding> gates;
  for (const auto& step : flow.steps) {
    if (step->gate.empty()) continue;
    const bool waits = flow.state == view::FlowState::active && waits_at_gate(*step);
    gates.push_back({step->name, step->gate_state, waits});
  }
  return gates;
}

void FlowGates::note(const std::vector<GateStanding>& before, const Flow& after, const schema::Event& event) {
  for (const GateStanding& is : standing_of_gates(after)) {
    const auto known = std::ranges::find(before, is.step, &GateStanding::step);
    const GateStanding was = known == before.end() ? GateStanding{is.step} : *known;
    const bool decided_ahead = !was.waits && is_decided(is.state) && !is_decided(was.state);
    const view::FlowStepT* step = find_step(after, is.step);
    if (was.waits == is.waits && !decided_ahead) continue;
    view::ApprovalT row = approval_of_gate(after, *step, event.time_us());
    const std::string key = waiting_gate_key(row.id);
    if (is.waits) {
      rows_.edit(key) = std::move(row);
    } else if (decided_ahead) {
      end(std::move(row), *step, event);
    } else if (const auto waited = rows_.take(key)) {
      end(std::move(*waited), *step, event);
    }
  }
}

void FlowGates::end(view::ApprovalT row, const view::FlowStepT& step, const schema::Event& event) {
  const auto* of_flow = event.payload_as_FlowEvent();
  const auto* decided = of_flow == nullptr ? nullptr : of_flow->fact_as_StepGateDecided();
  if (decided == nullptr) {
    withdraw(row, step);
  } else {
    row.state = view::QuestionState::answered;
    row.decision = decided->decision();
    row.note = text(decided->note());
    row.decided_us = event.time_us();
    row.decided_by = actor_text(event);
  }
  const std::string key = past_gate_key(row);
  rows_.edit(key) = std::move(row);
}

}  // namespace luzia
