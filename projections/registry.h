// The list of projections. A new view = one file pair + one line in registry.cc + one test.
#pragma once

#include "engine/view/projection.h"

namespace luzia {

/// Every projection: what a daemon's view store holds. The store and its readers must use the same registry;
/// a store that was written with another one is rebuilt by catch_up().
const ProjectionRegistry& all_projections();

/// Streams, command ids, live jobs, queue, alerts, hooks: what must be current before the socket opens.
const ProjectionRegistry& core_projections();

/// The jobs view with its reports, what was learned, and how the clock went: for the state as it was.
const ProjectionRegistry& report_projections();

}  // namespace luzia
