// Rows made anew from the log beside those that serve: STORE/views.new, which takes the place of STORE/views
// while nobody has either open. A crash at any moment leaves the old rows, the new ones, or none, and then
// the next start makes them.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "engine/view/fold.h"

namespace luzia {

/// Folds the whole log into STORE/views.new and closes it; what comes to the log meanwhile is folded too, but
/// for a few events at the end, which opening folds. Returns the position reached. Takes long; any one
/// thread. `no_room` (trouble) where a second set of rows would fill the disk, `views_failed`, `cancelled`;
/// then nothing is left behind.
Result<Position> make_new_views(const EventLog& log, const ProjectionRegistry& registry,
                                const std::string& store, const std::function<void(FoldProgress)>& progress,
                                const std::stop_token& stop = {});

/// Puts STORE/views.new in the place of STORE/views. Under the store's lock. `views_failed`: the old rows are
/// still there.
Status take_new_views(const std::string& store);

/// Removes what a crash has left of both. Under the store's lock.
void remove_left_views(const std::string& store);

}  // namespace luzia
