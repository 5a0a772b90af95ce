// Core view alerts. Key: alert ("memory", "disk", ...). Each alert has one row: its present state, or its
// state when it last ended.
#pragma once

#include <vector>

#include "engine/view/projection.h"
#include "view.fb.h"

namespace luzia {

constexpr ProjectionInfo kAlertsView{6, 1, "alerts", ViewKind::core};

std::unique_ptr<Projection> make_alerts_projection(ViewReaderSource rows);

/// Alerts that have not ended, sorted by name. Any thread.
std::vector<view::AlertT> open_alerts(const ViewReader& rows);

}  // namespace luzia
