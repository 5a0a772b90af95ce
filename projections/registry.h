// The list of projections. A new view needs one pair of files, one line in registry.cc and one test.
#pragma once

#include "engine/view/projection.h"

namespace luzia {

/// Every projection: the content of a daemon's view store. The store and its readers must use the same
/// registry; catch_up() rebuilds a store that was written with another one.
const ProjectionRegistry& all_projections();

/// Streams, command ids, live jobs, queue, alerts, hooks, flows: what must be current before the socket
/// opens.
const ProjectionRegistry& core_projections();

/// The jobs view with its reports, learning, and clock stretches: for queries and past states.
const ProjectionRegistry& report_projections();

}  // namespace luzia
