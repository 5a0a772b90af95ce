#include "projections/registry.h"

#include <algorithm>

#include "engine/view/overlay_store.h"
#include "projections/alerts.h"
#include "projections/command_ids.h"
#include "projections/flows.h"
#include "projections/hooks.h"
#include "projections/jobs.h"
#include "projections/learning.h"
#include "projections/live_jobs.h"
#include "projections/queue.h"
#include "projections/streams.h"

namespace luzia {

const ProjectionRegistry& core_projections() {
  static const ProjectionRegistry core = {
      make_streams_projection, make_command_ids_projection, make_live_jobs_projection, make_queue_projection,
      make_alerts_projection,  make_hooks_projection,       make_flows_projection};
  return core;
}

const ProjectionRegistry& report_projections() {
  static const ProjectionRegistry reports = {make_jobs_projection, make_learning_projection};
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

std::vector<ProjectionInfo> list_views(const ProjectionRegistry& registry) {
  const OverlayStore no_rows;
  const auto reader = no_rows.snapshot();
  std::vector<ProjectionInfo> views;
  for (const ProjectionFactory make : registry) {
    for (const ProjectionInfo& info : make([&]() -> const ViewReader& { return *reader; })->views()) {
      views.push_back(info);
    }
  }
  std::sort(views.begin(), views.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return views;
}

}  // namespace luzia
