// Core view queue: the switches that hold back more than one job. Key: project, or empty for everything.
// (The queued jobs themselves follow from the jobs' states and stand in live_jobs.)
#pragma once

#include <vector>

#include "engine/view/projection.h"
#include "view.fb.h"

namespace luzia {

constexpr ProjectionInfo kQueueView{4, 1, "queue", ViewKind::core};

std::unique_ptr<Projection> make_queue_projection(ViewReaderSource rows);

/// Switches that are on (paused), in order of scope; scope "" is everything. Any thread.
std::vector<view::QueueSwitchT> queue_switches(const ViewReader& rows);

}  // namespace luzia
