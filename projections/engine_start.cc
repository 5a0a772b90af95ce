#include "projections/engine_start.h"

#include "projections/flows.h"
#include "projections/live_jobs.h"
#include "projections/queue.h"
#include "projections/spending.h"

namespace luzia {

void load_live_state(Engine& engine, const ViewReader& rows) {
  visit_live_jobs(rows, [&](JobState job) { engine.load(std::move(job)); });
  visit_active_flows(rows, [&](Flow flow) { engine.load(std::move(flow)); });
  for (const auto& pause : queue_switches(rows)) {
    engine.load_queue_switch(pause.scope, pause.paused);
    if (pause.draining) engine.load_drain();
  }
  for (const auto& breaker : open_breakers(rows)) engine.load_breaker(breaker_fact(breaker));
  for (const auto& limit : agent_limits(rows)) engine.load_agent_limit(agent_parked_fact(limit));
  for (auto& row : spending_rows(rows)) engine.load_spending(std::move(row));
}

}  // namespace luzia
