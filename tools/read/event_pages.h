// Visits the events that the options select, page by page. One thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/event/event.h"
#include "tools/read/session.h"

namespace luzia {

using Events = std::vector<const schema::Event*>;

/// Visits events, oldest first. `limit`: at most this many, 0: all. `after`: only events after this position;
/// 0: start where the options say. Returns the last page's position and `next`, without rows.
Result<RowPage> visit_events(Session& session, std::size_t limit, Position after,
                             const std::function<Status(const Events&, const RowPage&)>& visit);

/// One line per event, made by `shape`.
std::string lines_of(const Events& events, std::string (*shape)(const schema::Event&));

}  // namespace luzia
