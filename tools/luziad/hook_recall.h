// What hooks were told of by daemons before this one, from the log: for their cooldown. Any thread; reads as
// much of the log as the cooldowns reach back.
#pragma once

#include <string>
#include <vector>

#include "engine/hook/hook_events.h"
#include "engine/log/event_log.h"

namespace luzia {

/// A hook, how far it has been told, and for how long what it was told counts.
struct ToldTo {
  std::string hook;
  Position position = 0;
  std::uint64_t cooldown_ms = 0;
};

struct Told {
  std::string hook;
  HookEvent event;
};

/// What was delivered to them up to `durable`, as far back as it matters for what comes after their
/// positions.
Result<std::vector<Told>> told_before(const EventLog& log, const std::vector<ToldTo>& hooks,
                                      Position durable);

}  // namespace luzia
