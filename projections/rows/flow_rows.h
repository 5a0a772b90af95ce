// Flows for people and scripts. Any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/flow/flow.h"
#include "projections/rows/row_tables.h"

namespace luzia {

/// The recorded result; of a completed flow without one, the output of the step completed last.
std::string flow_result(const Flow& flow);
/// Fields: id project description state steps[{name state job output error started_at ended_at needs ...}]
/// tags created_at ended_at result, and more.
std::string flow_json(const Flow& flow);
std::string flow_json(const view::Flow& flow);
Table flows_table(const std::vector<Flow>& flows, TimeUs now);
/// The columns of the table `flows` of SQL and exports (export_flows.cc).
Table flows_data(const std::vector<const view::Flow*>& flows, TimeUs now);
/// One flow in full: its properties, and one line per step with its dependencies drawn.
std::string flow_card(const Flow& flow, TimeUs now, const TableStyle& style);

/// pending, in_progress, completed, failed, skipped. The text for people may also be queued or "at gate
/// NAME".
std::string_view step_state_name(schema::StepState state);
std::string step_state_text(const view::FlowStepT& step);
/// active, completed, failed, cancelled.
std::string_view flow_state_name(view::FlowState state);

/// Steps that may begin now: their dependencies are met, and nobody does them yet.
std::vector<const view::FlowStepT*> next_steps(const Flow& flow);
/// Whether a person has to open its gate now.
bool waits_at_gate(const view::FlowStepT& step);
std::size_t steps_done(const Flow& flow);

}  // namespace luzia
