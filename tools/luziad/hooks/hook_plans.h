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
#include "adapters/notify/desktop.h"
#include "adapters/notify/telegram.h"
#include "engine/hook/escalation.h"
#include "engine/hook/quiet_hours.h"

namespace luzia {

/// `rule.name` is the name of its cursor. Who has quiet hours may have two: what they do not hold back goes
/// its own way, so that it need not wait behind the rest; in each way the order is kept. (To let one overtake
/// the other on a single cursor was rejected: a position says that nothing before it is to be told any more.)
struct HookPlan {
  HookRule rule;
  std::string name;  // as configured
  std::optional<QuietHours> quiet;
  std::variant<HookCommand, Webhook, Desktop, Telegram> way;
};

/// Of the cursor for what quiet hours do not hold back. No configured name has a slash.
constexpr std::string_view kUrgentSuffix = "/urgent";

/// What every command of a hook gets from the daemon.
struct HookSurroundings {
  std::string runner;  // luzia-run
  std::string socket;  // of the daemon
  std::string store;
  std::uint64_t open_files = 0;
};

/// By name.
std::vector<std::shared_ptr<const HookPlan>> hook_plans(const Config& config,
                                                        const HookSurroundings& surroundings);

/// [telegram], if it is in use: the program that tells and takes answers, and what it is told.
std::optional<Telegram> telegram_plan(const Config& config, const HookSurroundings& surroundings);

/// Who escalates to whom.
std::vector<EscalationRule> escalation_rules(const Config& config);

/// The name under which the plan's hook is told of an event: the narrowest that it asked for.
HookOn told_as(const HookRule& rule, const HookEvent& event);

/// Blocks until it is done; for a delivery thread.
Delivery deliver(const HookPlan& plan, const Notice& notice, const std::stop_token& stop);

}  // namespace luzia
