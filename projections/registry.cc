#include "projections/registry.h"

#include "projections/alerts.h"
#include "projections/clock_stretches.h"
#include "projections/command_ids.h"
#include "projections/devices.h"
#include "projections/flows.h"
#include "projections/hooks.h"
#include "projections/jobs.h"
#include "projections/learning.h"
#include "projections/live_jobs.h"
#include "projections/queue.h"
#include "projections/schedules.h"
#include "projections/streams.h"
#include "projections/todos.h"

namespace luzia {

const ProjectionRegistry& core_projections() {
  static const ProjectionRegistry core = {
      make_streams_projection,   make_command_ids_projection, make_devices_projection,
      make_live_jobs_projection, make_queue_projection,       make_alerts_projection,
      make_hooks_projection,     make_flows_projection,       make_schedules_projection};
  return core;
}

const ProjectionRegistry& report_projections() {
  static const ProjectionRegistry reports = {make_jobs_projection, make_learning_projection,
                                             make_todos_projection, make_clock_stretches_projection};
  return reports;
}

const ProjectionRegistry& all_projections() {
  static const ProjectionRegistry all = [] {
    ProjectionRegistry joined = core_projections();
    joined.insert(joined.end(), report_projections().begin(), report_projections().end());
    return joined;
  }();
  return all;
}

}  // namespace luzia
