// Reads from the log what earlier daemons delivered to hooks, to apply cooldowns. Any thread; reads as far
// back as the cooldowns reach.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/hook/hook_events.h"
#include "engine/log/event_log.h"
#include "engine/view/view_store.h"

namespace luzia {

/// A hook, the position up to which it was notified, and how long deliveries count.
struct DeliveredTo {
  std::string hook;
  Position position = 0;
  std::uint64_t cooldown_ms = 0;
};

struct Delivered {
  std::string hook;
  HookEvent event;
};

/// Returns what was delivered to the hooks up to `durable`, as far back as it matters for events after their
/// positions. `rows` provide the steps of the wall clock (clock_stretches); if they cannot, the log does.
/// Times are by the clock at `durable`: later steps of it are added.
Result<std::vector<Delivered>> delivered_before(const EventLog& log,
                                                const std::shared_ptr<const ViewReader>& rows,
                                                const std::vector<DeliveredTo>& hooks, Position durable);

}  // namespace luzia
