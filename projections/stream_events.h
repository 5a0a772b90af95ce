// Reads events at chosen positions of the log, in one pass.
#pragma once

#include <functional>
#include <vector>

#include "engine/log/event_log.h"

namespace luzia {

/// Visits the events at `positions` (ascending), until `visit` returns false. `encoded`: the event as stored,
/// aligned to 8, valid during the visit. Skips positions beyond the log. One thread at a time.
Status visit_events(const EventLog& log, const std::vector<Position>& positions,
                    const std::function<bool(const schema::Event& event, Bytes encoded)>& visit);

}  // namespace luzia
