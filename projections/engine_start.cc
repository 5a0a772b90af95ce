#include "projections/engine_start.h"

#include "projections/devices.h"
#include "projections/flows.h"
#include "projections/live_jobs.h"
#include "projections/queue.h"
#include "projections/schedules.h"
#include "projections/spending.h"

namespace luzia {

void load_live_state(Engine& engine, const ViewReader& rows) {
  Queue& queue = engine.queue_to_load();
  visit_live_jobs(rows, [&](JobState&& job) { engine.load(std::move(job)); });
  visit_active_flows(rows, [&](Flow flow) { engine.load(std::move(flow)); });
  for (const auto& pause : queue_switches(rows)) {
    queue.stops().set_paused(pause.scope, pause.paused);
    if (pause.draining) queue.stops().draining = true;
  }
  for (const auto& breaker : open_breakers(rows)) queue.stops().breakers.opened(breaker_fact(breaker));
  for (const auto& limit : agent_limits(rows)) queue.stops().agent_limits.parked(agent_parked_fact(limit));
  for (auto& row : spending_rows(rows)) queue.stops().spending.load(std::move(row));
  visit_devices(rows, [&](Device device) { engine.devices().load(std::move(device)); });
  visit_schedules(rows, [&](Schedule schedule) { engine.schedules().load(std::move(schedule)); });
}

}  // namespace luzia
