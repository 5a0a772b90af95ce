// Three core views about what holds back more than one job (live_jobs has the queued jobs themselves):
// - queue: pauses and the drain. Key: project; empty: the whole queue.
// - breakers: projects stopped after quick failures in a row. Key: project.
// - agent_limits: agents whose usage limit is reached. Key: agent.
#pragma once

#include <vector>

#include "engine/event/event.h"
#include "engine/view/projection.h"
#include "view.fb.h"

namespace luzia {

/// Reason in DaemonStopped that also ends a drain, so that the next daemon starts jobs. A daemon that
/// restarts itself or is killed leaves the drain on.
constexpr const char* kAskedToStop = "asked to stop";

constexpr ProjectionInfo kQueueView{4, 2, "queue", ViewKind::core};

constexpr ProjectionInfo kBreakersView{5, 1, "breakers", ViewKind::core};

constexpr ProjectionInfo kAgentLimitsView{8, 1, "agent_limits", ViewKind::core};

std::unique_ptr<Projection> make_queue_projection(ViewReaderSource rows);

/// Switches that are on, by scope; scope "" is the whole queue. Any thread.
std::vector<view::QueueSwitchT> queue_switches(const ViewReader& rows);

/// The fact that the row was made from.
schema::BreakerOpenedT breaker_fact(const view::BreakerT& row);

/// Open breakers, by project. Any thread.
std::vector<view::BreakerT> open_breakers(const ViewReader& rows);

/// The fact that the row was made from.
schema::AgentParkedT agent_parked_fact(const view::AgentLimitT& row);

/// Parked agents, by name. Any thread.
std::vector<view::AgentLimitT> agent_limits(const ViewReader& rows);

}  // namespace luzia
