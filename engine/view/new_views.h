// Rebuilds all rows in STORE/views.new while the old ones still serve. They replace STORE/views while nobody
// has either open. After a crash at any moment the old rows, the new ones or none exist; if none, the next
// start rebuilds them.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "engine/view/fold.h"

namespace luzia {

/// Folds the whole log into STORE/views.new and closes it. Also folds what is appended meanwhile, except a
/// few events at the end, which opening folds. Returns the position reached. Takes long; any one thread.
/// Errors: `no_room` (trouble) if a second set of rows would fill the disk, `views_failed`, `cancelled`.
/// After an error nothing is left behind.
Result<Position> make_new_views(const EventLog& log, const ProjectionRegistry& registry,
                                const std::string& store, const std::function<void(FoldProgress)>& progress,
                                const std::stop_token& stop = {});

/// Replaces STORE/views with STORE/views.new. Requires the store's lock. `views_failed`: the old rows are
/// still there.
Status take_new_views(const std::string& store);

/// Removes leftovers of a crash in either folder. Requires the store's lock.
void remove_left_views(const std::string& store);

}  // namespace luzia
