// What keeps jobs from starting, as text and JSON: the whole queue (paused, draining) and single projects.
// Any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/base/time.h"
#include "view.fb.h"

namespace luzia {

/// "queue paused since 14:05 UTC (deploying)", "project web paused since 2026-11-20 14:05 UTC". Without a
/// note if there is none; with the date if it is another day. A drain reads "queue draining since 14:05 UTC
/// (update)". Not made harmless.
std::string pause_text(const view::QueueSwitch& pause, TimeUs now);

/// {"scope":"queue"|"project","project","draining", "note","since","since_us"}; project is null for the whole
/// queue.
std::string pause_json(const view::QueueSwitch& pause);

/// All of them as a JSON array, in the given order.
std::string pauses_json(const std::vector<const view::QueueSwitch*>& pauses);

}  // namespace luzia
