// Report view flow_gates: gates that steps of flows came to, as approvals, and what became of them. Written
// by the projection of flows, which knows each flow before and after its event.
//
// Keys: "o" FLOW/STEP -> view::Approval while the step waits; "c" position, FLOW/STEP -> the row once that is
// over. `position` is the big-endian place of the event that brought the step to its gate, so that these rows
// and those of the view approvals are in one order.
#pragma once

#include <string>
#include <vector>

#include "engine/flow/flow.h"
#include "engine/view/projection.h"

namespace luzia {

constexpr ProjectionInfo kFlowGatesView{36, 1, "flow_gates", ViewKind::report};

/// How a gate of a flow stands.
struct GateStanding {
  std::string step;
  view::GateState state = view::GateState::shut;
  bool waits = false;
};
/// Of all steps that have one.
std::vector<GateStanding> standing_of_gates(const Flow& flow);

/// One thread.
class FlowGates {
 public:
  explicit FlowGates(ViewReaderSource rows) : rows_(kFlowGatesView, std::move(rows)) {}

  /// What `event` did to the gates of the flow; `before` is how they stood.
  void note(const std::vector<GateStanding>& before, const Flow& after, const schema::Event& event);
  void flush(RowBatch& batch) { rows_.flush(batch); }

 private:
  void end(view::ApprovalT row, const view::FlowStepT& step, const schema::Event& event);

  RowTable<view::Approval> rows_;
};

}  // namespace luzia
