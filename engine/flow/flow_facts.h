// What decide() and evolve() of flows share. Private to engine/flow.
#pragma once

#include "engine/flow/flow.h"

namespace luzia {

/// Changes the state by one fact at `time`. `position`: of its event; 0: not appended yet.
void apply_fact(Flow& state, const schema::FlowFactUnion& fact, TimeUs time, Position position);

/// Whether further steps may begin: the flow is active, and no failure has ended it.
bool may_go_on(const Flow& state);
bool gate_is_open(const view::FlowStepT& step);
bool step_is_over(schema::StepState state);
/// "step 'NAME' of flow ID", for messages.
std::string step_place(const Flow& flow, const view::FlowStepT& step);
/// Error `gate_shut` if its gate is not open, with a hint how to open it.
Status passes_gate(const Flow& flow, const view::FlowStepT& step);

/// Why these steps cannot be added to a flow with the steps `known`; ok: they can.
Status check_steps(const std::vector<NewStep>& steps, const std::vector<std::string>& known);
Status check_text(std::string_view text, std::string_view what);
Status check_name(std::string_view name, std::string_view what);

}  // namespace luzia
