// Events at chosen positions of the log, read in one pass.
#pragma once

#include <functional>
#include <vector>

#include "engine/log/event_log.h"

namespace luzia {

/// Visits the events at `positions` (rising). `encoded` is the event as stored, aligned to 8, alive during
/// the visit. `visit` returns false to stop. Positions beyond the log are passed over. Any one
/// thread.
Status visit_events(const EventLog& log, const std::vector<Position>& positions,
                    const std::function<bool(const schema::Event& event, Bytes encoded)>& visit);

}  // namespace luzia
