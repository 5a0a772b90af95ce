// The scenarios' flow commands.
#pragma once

#include <optional>

#include "engine/flow/flow.h"
#include "tests/scenarios/step.h"
#include "tests/scenarios/world.h"

namespace luzia {

/// Parses a flow command. The third word after the time is the flow, the fourth the step.
///   new_flow F steps=a,b:a,c:a+b [runs] [keep_going] [max=N] [by_hand=a,b] [gate.b=NAME] [retries.b=N]
///              [after.b=TEXT] [afterwards=TEXT]       b needs a; c needs a and b; follow-ups
///   start_step, complete_step [output=TEXT] [job=J], fail_step [error=TEXT], skip_step, reset_step F STEP
///   add_step F STEP [needs=a+b], open_gate, deny_gate F STEP [note=TEXT]
///   pause_flow, resume_flow, end_flow, reopen_flow F, tag_flow F add=a,b remove=c, note_flow F key=K value=V
/// Returns nullopt if the command is not about flows.
std::optional<FlowCommand> flow_command(const Step& step);

/// Checks a flow: flow F STATE [STEP=state ...] [tags=a,b] [note.K=V] [suggestions=N] [ended=TIME]
/// [took.STEP=TIME]. A step with a dispatched job is "queued"; a step that waits at its gate is "asked".
void expect_flow(const Step& step, World& world);

}  // namespace luzia
