// What an agent reports about its own work, folded into the row of its job: todo list, tools, usage, outcome.
// Sums follow the same rules as the decider's state (engine/job/usage_sum.h, engine/job/agent_facts.h). Pure.
#pragma once

#include "engine/event/event.h"
#include "engine/job/usage_sum.h"
#include "view.fb.h"

namespace luzia {

/// Maximum number of items of a todo list that a row keeps.
constexpr std::size_t kMaxTodoItems = 200;

/// Another attempt begins: clears what belongs to the last one. Sums over all attempts stay.
void forget_agent_facts(view::JobT& row);

void fold_todo(view::JobT& row, const schema::TodoReported& fact);
void fold_conclusion(view::JobT& row, const schema::AgentConcluded& fact);
void fold_tool(view::JobT& row, const schema::ToolEvent& tool);
/// The job was stopped or lost: marks its sums as partial if its agent reported turns, but no end.
void note_unreported_usage(view::JobT& row);
/// Adds what this report used, if anything, to `used`.
void fold_usage(view::JobT& row, const schema::UsageEvent& usage, UsageGrowth& used);

}  // namespace luzia
