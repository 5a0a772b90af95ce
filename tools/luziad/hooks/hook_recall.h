// What hooks were told of by daemons before this one, from the log: for their cooldown. Any thread; reads as
// much of the log as the cooldowns reach back.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/hook/hook_events.h"
#include "engine/log/event_log.h"
#include "engine/view/view_store.h"

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
/// positions. `rows` tell how the clock went (clock_stretches); where they can't, that is read from the log.
/// Times are by the clock of `durable`: steps of it that followed are added.
Result<std::vector<Told>> told_before(const EventLog& log, const std::shared_ptr<const ViewReader>& rows,
                                      const std::vector<ToldTo>& hooks, Position durable);

}  // namespace luzia
