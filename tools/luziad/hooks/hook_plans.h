// The hooks and webhooks of a configuration, ready to run. Plain values; any thread.
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "adapters/config/config.h"
#include "adapters/notify/delivery.h"
#include "adapters/notify/desktop.h"
#include "adapters/notify/push.h"
#include "adapters/notify/telegram.h"
#include "engine/device/device.h"
#include "engine/hook/daily_time.h"
#include "engine/hook/escalation.h"
#include "engine/hook/quiet_hours.h"
#include "tools/luziad/hooks/kept_program.h"

namespace luzia {

/// `rule.name` is the name of its cursor. A hook with quiet hours may have two cursors: notices exempt from
/// quiet hours use a separate queue, so they need not wait behind the others. Order is kept within each.
/// Rejected: letting one notice overtake another on a single cursor. A position means that nothing before it
/// remains to be sent. A channel that gets digests has one more, which quiet hours do not hold back.
struct HookPlan {
  HookRule rule;
  std::string name;  // as configured
  std::optional<QuietHours> quiet;
  std::variant<HookCommand, Webhook, Desktop, Telegram, Push> way;
  Position since = 0;    // it is not notified of events up to here, whatever its cursor says
  bool digests = false;  // its queue of digests, which has a cursor of its own
};

/// Name of the channel to a device. No configured name has a slash.
constexpr std::string_view kPushPrefix = "push/";
/// Suffix of the cursor for notices exempt from quiet hours.
constexpr std::string_view kUrgentSuffix = "/urgent";

/// What the daemon passes to every hook command.
struct HookSurroundings {
  std::string runner;  // luzia-run
  std::string socket;  // of the daemon
  std::string store;
  std::uint64_t open_files = 0;
  std::string config_file = {};  // that the daemon was started with; empty: the default places
  std::string client = {};       // luzia, beside which are other programs for people
};

/// Returns the plans by name: of the configuration, and of devices that take pushes.
std::vector<std::shared_ptr<const HookPlan>> hook_plans(const Config& config,
                                                        const HookSurroundings& surroundings,
                                                        const Devices& devices);

/// luzia-telegram serve, if [telegram] is in use; luzia-web, if [web] is enabled; luzia-fleet run, if [fleet]
/// names a database.
std::optional<KeptProgram> telegram_program(const Config& config, const HookSurroundings& surroundings);
std::optional<KeptProgram> web_program(const Config& config, const HookSurroundings& surroundings);
std::optional<KeptProgram> fleet_program(const Config& config, const HookSurroundings& surroundings);

/// When the queues of digests are due, by the name of their rules.
std::map<std::string, DailyTime> digest_times(const Config& config);

/// Which channel escalates to which.
std::vector<EscalationRule> escalation_rules(const Config& config);

/// The event name under which the plan's hook is notified: the narrowest that it asked for.
HookOn notified_as(const HookRule& rule, const HookEvent& event);

/// Blocks until delivered; for a delivery thread.
Delivery deliver(const HookPlan& plan, const Notice& notice, const std::stop_token& stop);

}  // namespace luzia
