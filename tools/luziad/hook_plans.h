// The hooks and webhooks of a configuration, in the form in which they are carried out. Plain values; any
// thread.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "adapters/config/config.h"
#include "adapters/notify/delivery.h"

namespace luzia {

struct HookPlan {
  HookRule rule;
  std::variant<HookCommand, Webhook> way;
};

/// What every command of a hook gets from the daemon.
struct HookSurroundings {
  std::string runner;  // luzia-run
  std::string socket;  // of the daemon
  std::uint64_t open_files = 0;
};

/// By name.
std::vector<std::shared_ptr<const HookPlan>> hook_plans(const Config& config,
                                                        const HookSurroundings& surroundings);

/// The name under which the plan's hook is told of an event: the narrowest that it asked for.
HookOn told_as(const HookRule& rule, const HookEvent& event);

/// Blocks until it is done; for a delivery thread.
Delivery deliver(const HookPlan& plan, const Notice& notice, const std::stop_token& stop);

}  // namespace luzia
