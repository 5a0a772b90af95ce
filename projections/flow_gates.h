// Report view flow_gates: gates that flow steps have reached, as approvals, and their decisions. The
// projection of flows writes it, because it knows each flow before and after an event.
//
// Keys: "o" FLOW/STEP -> view::Approval while the step waits; "c" position, FLOW/STEP -> the row once the
// wait is over. `position` is big-endian and belongs to the event with which the step reached its gate, so
// these rows and those of the view approvals sort together.
#pragma once

#include <string>
#include <vector>

#include "engine/flow/flow.h"
#include "engine/view/projection.h"

namespace luzia {

constexpr ProjectionInfo kFlowGatesView{36, 1, "flow_gates", ViewKind::report};

struct GateStanding {
  std::string step;
  view::GateState state = view::GateState::shut;
  bool waits = false;
};
/// The gates of all steps that have one.
std::vector<GateStanding> standing_of_gates(const Flow& flow);

/// Writes the view's rows. One thread.
class FlowGates {
 public:
  explicit FlowGates(ViewReaderSource rows) : rows_(kFlowGatesView, std::move(rows)) {}

  /// Notes what `event` did to the gates of the flow. `before`: their state before the event.
  void note(const std::vector<GateStanding>& before, const Flow& after, const schema::Event& event);
  void flush(RowBatch& batch) { rows_.flush(batch); }

 private:
  void end(view::ApprovalT row, const view::FlowStepT& step, const schema::Event& event);

  RowTable<view::Approval> rows_;
};

}  // namespace luzia
