// What keeps queued jobs from starting besides slots: pauses, a drain, breakers, agents' usage limits, daily
// budgets. Pure.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "engine/queue/agent_limits.h"
#include "engine/queue/breaker.h"
#include "engine/queue/day_budgets.h"
#include "engine/queue/queue_line.h"

namespace luzia {

using view::WaitsFor;

/// What stops a job, and whose that is.
struct QueueBlock {
  WaitsFor what;
  std::string subject;
  std::uint32_t limit;
};

struct QueueStops {
  std::set<std::string> paused = {};  // projects; "": the whole queue
  bool draining = false;              // nothing starts
  Breakers breakers;                  // jobs of a project with an open breaker do not start
  AgentLimits agent_limits = {};      // jobs of an agent whose usage limit is reached do not start
  Spending spending = {};             // jobs of a project whose daily budget is used up do not start

  void set_paused(const std::string& project, bool pause);
  /// What stops jobs of this kind alone; nullopt: nothing.
  std::optional<QueueBlock> block(const QueueKind& kind, TimeUs now) const;
};

}  // namespace luzia
