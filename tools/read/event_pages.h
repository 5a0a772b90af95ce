// Events that the options ask for, page by page. One thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/event/event.h"
#include "tools/read/session.h"

namespace luzia {

using Events = std::vector<const schema::Event*>;

/// Visits them, oldest first. `limit`: at most so many, 0 for all. `after`: only what comes behind this
/// position, 0: where the options say. The last page's place, without its rows.
Result<RowPage> visit_events(Session& session, std::size_t limit, Position after,
                             const std::function<Status(const Events&, const RowPage&)>& visit);

/// A line of JSON for each.
std::string lines_of(const Events& events, std::string (*shape)(const schema::Event&));

}  // namespace luzia
