// What decide() and evolve() of flows share; private to engine/flow.
#pragma once

#include "engine/flow/flow.h"

namespace luzia {

/// The state after one more fact at `time`; `position` of its event, 0 while it has none.
void apply_fact(Flow& state, const schema::FlowFactUnion& fact, TimeUs time, Position position);

/// Whether further steps may begin: it is active, and nothing has failed that ends it.
bool may_go_on(const Flow& state);
bool gate_is_open(const view::FlowStepT& step);
bool step_is_over(schema::StepState state);
/// "step 'NAME' of flow ID", for messages.
std::string step_place(const Flow& flow, const view::FlowStepT& step);
/// Refused (`gate_shut`), with the way through, where its gate is not open.
Status passes_gate(const Flow& flow, const view::FlowStepT& step);

/// Why these steps cannot stand in a flow beside `known`; nothing wrong otherwise.
Status check_steps(const std::vector<NewStep>& steps, const std::vector<std::string>& known);
Status check_text(std::string_view text, std::string_view what);
Status check_name(std::string_view name, std::string_view what);

}  // namespace luzia
