#include "engine/queue/queue_stops.h"

namespace luzia {

void QueueStops::set_paused(const std::string& project, bool pause) {
  if (pause) {
    paused.insert(project);
  } else {
    paused.erase(project);
  }
}

std::optional<QueueBlock> QueueStops::block(const QueueKind& kind, TimeUs now) const {
  if (paused.contains(kind.project)) return QueueBlock{WaitsFor::project_resume, kind.project, 0};
  if (breakers.stops(kind.project, kind.agent)) return QueueBlock{WaitsFor::breaker, kind.project, 0};
  if (agent_limits.awaits_login(kind.agent)) return QueueBlock{WaitsFor::login, kind.agent, 0};
  if (agent_limits.is_parked(kind.agent)) return QueueBlock{WaitsFor::usage_limit, kind.agent, 0};
  if (const auto scope = spending.stopping(kind.project, now))
    return QueueBlock{WaitsFor::project_budget, *scope, 0};
  return std::nullopt;
}

}  // namespace luzia
