// Core view flows: every flow as its decider sees it (the fold of its stream by luzia::evolve), kept for
// ever. Report views step_statistics (how steps of a name went in a project, and which steps came next) and
// flow_gates (flow_gates.h).
//
// Rows stay when a flow is removed (luzia flow rm) or ended long ago. Lists omit such a flow
// (query_flows.cc), but its id still names it, and its steps still count in statistics.
//
// Keys of flows: "a" id -> an active Flow; "e" id -> an ended Flow. Ids grow with time. Keys of
// step_statistics: project, 0x00, step.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/flow/flow.h"
#include "engine/view/projection.h"

namespace luzia {

constexpr ProjectionInfo kFlowsView{9, 2, "flows", ViewKind::core};
constexpr ProjectionInfo kStepStatisticsView{32, 2, "step_statistics", ViewKind::statistic};

std::unique_ptr<Projection> make_flows_projection(ViewReaderSource rows);

std::string step_statistic_key(std::string_view project, std::string_view step);

/// Visits active flows in order of ids. Any thread.
void visit_active_flows(const ViewReader& rows, const std::function<void(Flow)>& visit);

/// The gate of a step as an approval: its id is FLOW/STEP, and it names no job. Open while the step waits at
/// it. Does not contain who decided.
view::ApprovalT approval_of_gate(const Flow& flow, const view::FlowStepT& step, TimeUs reached);

/// The flow, active or ended; nullopt: there is none. Any thread.
std::optional<Flow> find_flow_state(const ViewReader& rows, std::string_view flow);

}  // namespace luzia
