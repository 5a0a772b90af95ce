// Core view alerts, key: alert ("memory", "disk", ...). Each alert once: as it is, or as it was when it ended
// the last time.
#pragma once

#include <vector>

#include "engine/view/projection.h"
#include "view.fb.h"

namespace luzia {

constexpr ProjectionInfo kAlertsView{6, 1, "alerts", ViewKind::core};

std::unique_ptr<Projection> make_alerts_projection(ViewReaderSource rows);

/// The alerts that have not ended, in the order of their names. Any thread.
std::vector<view::AlertT> open_alerts(const ViewReader& rows);

}  // namespace luzia
