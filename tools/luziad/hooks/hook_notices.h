// Writes and delivers the notice of one event, or a sample. Blocks; for a delivery thread.
#pragma once

#include <string>
#include <utility>

#include "engine/log/event_log.h"
#include "engine/view/view_store.h"
#include "tools/luziad/hooks/hook_plans.h"

namespace luzia {

/// Reads the event from the log and its job from the rows, and delivers the notice. `told`: the last event
/// that this daemon delivered to the hook, which the rows may lack.
Delivery notify(const HookPlan& plan, const EventLog& log, const ViewReader& rows, Position position,
                Position told, const std::stop_token& stop);

/// Delivers a made-up event, or the digest of what happened since the last one. Returns the event's name,
/// too.
std::pair<std::string, Delivery> send_sample(const HookPlan& plan, const std::string& site, TimeUs now,
                                             const EventLog& log, const ViewReader& rows,
                                             const std::stop_token& stop);

}  // namespace luzia
