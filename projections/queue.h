// Core view queue: the switches that hold back more than one job: pauses and the drain. Key: project, or
// empty for everything. Core view breakers: projects that are stopped after failures in a row. Key: project.
// Core view agent_limits: agents whose usage limit is reached. Key: agent.
// (The queued jobs themselves follow from the jobs' states and stand in live_jobs.)
#pragma once

#include <vector>

#include "engine/event/event.h"
#include "engine/view/projection.h"
#include "view.fb.h"

namespace luzia {

/// Reason of DaemonStopped that also ends a drain: the next daemon starts jobs. One that starts over by
/// itself, or is killed, leaves it.
constexpr const char* kAskedToStop = "asked to stop";

constexpr ProjectionInfo kQueueView{4, 2, "queue", ViewKind::core};

constexpr ProjectionInfo kBreakersView{5, 1, "breakers", ViewKind::core};

constexpr ProjectionInfo kAgentLimitsView{8, 1, "agent_limits", ViewKind::core};

std::unique_ptr<Projection> make_queue_projection(ViewReaderSource rows);

/// Switches that are on (paused), in order of scope; scope "" is everything. Any thread.
std::vector<view::QueueSwitchT> queue_switches(const ViewReader& rows);

/// The fact that the row keeps.
schema::BreakerOpenedT breaker_fact(const view::BreakerT& row);

/// Breakers that are open, by project. Any thread.
std::vector<view::BreakerT> open_breakers(const ViewReader& rows);

/// The fact that stands behind the row of a parked agent.
schema::AgentParkedT agent_parked_fact(const view::AgentLimitT& row);

/// Agents that are parked, by name. Any thread.
std::vector<view::AgentLimitT> agent_limits(const ViewReader& rows);

}  // namespace luzia
