#include "tools/luziad/hooks/hook_plans.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <span>

#include "engine/base/base64url.h"

namespace luzia {
namespace {

/// The daemon's variables that a hook inherits: where programs are, how text is written, and whose account it
/// is.
constexpr const char* kHookInherits[] = {"PATH",
                                         "LANG",
                                         "LC_ALL",
                                         "LC_CTYPE",
                                         "TZ",
                                         "SHELL",
                                         "HOME",
                                         "USER",
                                         "LOGNAME",
                                         "XDG_RUNTIME_DIR",
                                         "DBUS_SESSION_BUS_ADDRESS",
                                         "DISPLAY"};
constexpr const char* kHookPath = "PATH=/usr/local/bin:/usr/bin:/bin";

/// Inherited by luzia-post, luzia-push and luzia-telegram too: proxies and certificate locations.
constexpr const char* kPosterInherits[] = {"http_proxy", "https_proxy",   "HTTPS_PROXY",
                                           "all_proxy",  "ALL_PROXY",     "no_proxy",
                                           "NO_PROXY",   "SSL_CERT_FILE", "SSL_CERT_DIR"};

/// Inherited by luzia-fleet too: where it and libpq look for the configuration and for passwords. A password
/// itself (PGPASSWORD) is not passed on.
constexpr const char* kFleetInherits[] = {"LUZIA_CONFIG",  "XDG_CONFIG_HOME", "PGPASSFILE",
                                          "PGSERVICEFILE", "PGSYSCONFDIR",    "LUZIA_FAILPOINTS"};

std::vector<std::string> inherited(std::span<const char* const> names) {
  std::vector<std::string> environment;
  for (const char* name : names) {
    if (const char* value = std::getenv(name)) environment.push_back(std::string(name) + "=" + value);
  }
  return environment;
}

/// As built and as installed.
std::string beside(const std::string& runner, const std::string& program) {
  const std::filesystem::path folder = std::filesystem::path(runner).parent_path();
  std::filesystem::path found = folder / ".." / program / program;
  if (::access(found.c_str(), X_OK) != 0) found = folder / program;
  return found.lexically_normal().string();
}

std::vector<std::string> hook_environment(const std::string& socket) {
  std::vector<std::string> environment = inherited(kHookInherits);
  if (std::getenv("PATH") == nullptr) environment.emplace_back(kHookPath);
  environment.push_back("LUZIA_SOCKET=" + socket);
  return environment;
}

HookMask mask_of_words(const std::vector<std::string>& words) {
  HookMask mask = 0;
  for (const std::string& word : words) {
    if (const auto on = parse_hook_event(word)) mask |= mask_of(*on);
  }
  // Who is told when something is wrong learns of a new device, which may be a stranger's.
  if ((mask & mask_of(HookOn::alert_raised)) != 0) mask |= mask_of(HookOn::device_paired);
  return mask;
}

constexpr HookMask kReminders = mask_of(HookOn::question_reminded) | mask_of(HookOn::approval_reminded);

HookRule rule_of(const std::string& name, const ChannelConfig& channel, bool watched_by_default) {
  HookRule rule;
  rule.name = rule.called = name;
  rule.on = mask_of_words(channel.on);
  rule.projects = channel.projects;
  rule.retries = channel.retries;
  rule.cooldown_ms = channel.cooldown_ms;
  rule.dwell_ms = channel.dwell_ms;
  rule.unless_watched = channel.unless_watched.value_or(watched_by_default);
  return rule;
}

bool is_escalated_to(const Config& config, const std::string& name) {
  const auto means = [&name](const auto& each) { return each.second.escalate_to == name; };
  return std::ranges::any_of(config.hooks, means) || std::ranges::any_of(config.webhooks, means) ||
         (config.telegram.in_use() && config.telegram.escalate_to == name);
}

using Plans = std::vector<std::shared_ptr<const HookPlan>>;

/// A digest comes once a day, so it is worth more tries.
constexpr std::uint32_t kDigestRetries = 10;

void add_digest_plan(HookPlan plan, Plans& plans) {
  plan.digests = true;
  plan.rule.name += kDigestSuffix;
  plan.rule.called = plan.rule.name;
  plan.rule.on = 0;
  plan.rule.escalated = mask_of(HookOn::digest);
  plan.rule.retries = std::max(plan.rule.retries, kDigestRetries);
  plan.rule.cooldown_ms = plan.rule.dwell_ms = 0;
  plans.push_back(std::make_shared<HookPlan>(std::move(plan)));
}

/// Adds one plan, or two if quiet hours hold back only some of its notices, and that of its digests.
void add_plans(const Config& config, const ChannelConfig& channel, HookPlan plan, Plans& plans) {
  if (!channel.digest.empty()) {
    add_digest_plan(plan, plans);
    if (plan.rule.on == 0 && !is_escalated_to(config, plan.name)) return;
  }
  const std::string& own = channel.quiet_hours;
  plan.quiet = parse_quiet_hours(own.empty() ? config.notifications.quiet_hours : own);
  const HookMask except = mask_of_words(config.notifications.quiet_except);
  const HookMask all = plan.rule.on | (is_escalated_to(config, plan.name) ? kReminders : 0);
  if (!plan.quiet || (all & except) == 0) {
    plans.push_back(std::make_shared<HookPlan>(std::move(plan)));
    return;
  }
  if ((all & ~except) != 0) {
    HookPlan calm = plan;
    calm.rule.on &= ~except;
    calm.rule.escalated = ~except;
    plans.push_back(std::make_shared<HookPlan>(std::move(calm)));
    plan.rule.name += kUrgentSuffix;
  }
  plan.rule.on &= except;
  plan.rule.escalated = except;
  plan.quiet.reset();
  plans.push_back(std::make_shared<HookPlan>(std::move(plan)));
}

constexpr HookMask kPushedAsks =
    kReminders | mask_of(HookOn::question_asked) | mask_of(HookOn::approval_requested);
constexpr HookMask kPushedFailures = mask_of(HookOn::job_failed) | mask_of(HookOn::job_timed_out) |
                                     mask_of(HookOn::job_lost) | mask_of(HookOn::question_timed_out) |
                                     mask_of(HookOn::alert_raised) | mask_of(HookOn::device_paired);
constexpr HookMask kPushedEnds = mask_of(HookOn::job_ended) | mask_of(HookOn::flow_ended);
constexpr std::uint32_t kPushRetries = 8;

HookMask mask_of_kinds(const std::vector<std::string>& kinds) {
  HookMask mask = 0;
  for (const std::string& kind : kinds)
    mask |= kind == kPushAsks ? kPushedAsks : kind == kPushFailures ? kPushedFailures : kPushedEnds;
  return mask;
}

/// Adds the channel to a device that takes pushes. It may notify of nothing but its own projects.
void add_push_plans(const Config& config, const HookSurroundings& surroundings, const Device& device,
                    Plans& plans) {
  if (device.push_endpoint.empty()) return;
  const auto text_of = [](const std::vector<std::uint8_t>& bytes) {
    return base64url({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  };
  Push push;
  push.device = device.device;
  push.person = device.person;
  push.sender.runner = surroundings.runner;
  push.sender.command = {beside(surroundings.runner, "luzia-push")};
  push.sender.environment = inherited(kPosterInherits);
  push.sender.open_files = surroundings.open_files;
  const auto& services = config.web.push_services;
  const auto& hosts = config.web.hosts;
  push.order.store = surroundings.store;
  push.order.endpoint = device.push_endpoint;
  push.order.key = text_of(device.push_key);
  push.order.auth = text_of(device.push_auth);
  push.order.contact = "https://" + (hosts.empty() ? std::string("localhost") : hosts.front());
  push.order.own_service = std::ranges::find(services, device.push_service) != services.end();
  ChannelConfig channel;
  channel.projects = device.projects;
  channel.retries = kPushRetries;
  channel.cooldown_ms = config.web.push_cooldown_ms;
  channel.dwell_ms = config.web.push_dwell_ms;
  push.order.timeout_ms = channel.timeout_ms;
  const std::string name = std::string(kPushPrefix) + device.device;
  HookPlan plan{rule_of(name, channel, true), name, {}, std::move(push), device.push_since};
  plan.rule.on = mask_of_kinds(device.push_kinds);
  plan.rule.cooled = ~kPushedAsks;
  plan.rule.called.clear();
  add_plans(config, channel, std::move(plan), plans);
}

std::optional<Telegram> telegram_plan(const Config& config, const HookSurroundings& surroundings) {
  const TelegramConfig& said = config.telegram;
  if (!said.in_use()) return std::nullopt;
  Telegram plan;
  plan.sender.runner = surroundings.runner;
  plan.sender.command = {beside(surroundings.runner, "luzia-telegram")};
  plan.sender.environment = inherited(kPosterInherits);
  plan.sender.environment.push_back("LUZIA_SOCKET=" + surroundings.socket);
  plan.sender.open_files = surroundings.open_files;
  const char* token = said.token_variable.empty() ? nullptr : std::getenv(said.token_variable.c_str());
  if (token != nullptr) plan.sender.environment.push_back(said.token_variable + "=" + token);
  plan.settings = {said.api,       said.token_file,     said.token_variable,
                   said.chats,     surroundings.socket, surroundings.store + "/telegram",
                   said.timeout_ms};
  return plan;
}

/// A program that reads the daemon's store and configuration.
KeptProgram program_of_store(const std::string& neighbour, const std::string& program,
                             const HookSurroundings& surroundings) {
  KeptProgram kept;
  kept.name = program.substr(program.find('-') + 1);
  kept.command = {beside(neighbour, program), "--store", surroundings.store};
  if (!surroundings.config_file.empty())
    kept.command.insert(kept.command.end(), {"--config", surroundings.config_file});
  kept.stop_signal = SIGTERM;
  return kept;
}

}  // namespace

Plans hook_plans(const Config& config, const HookSurroundings& surroundings, const Devices& devices) {
  Plans plans;
  for (const auto& [name, hook] : config.hooks) {
    HookCommand command;
    command.runner = surroundings.runner;
    command.command = hook.command;
    command.environment = hook_environment(surroundings.socket);
    command.timeout_ms = hook.timeout_ms;
    command.open_files = surroundings.open_files;
    HookPlan plan{rule_of(name, hook, hook.desktop), name, {}, std::move(command), 0};
    if (hook.desktop) plan.way = Desktop{std::get<HookCommand>(std::move(plan.way))};
    add_plans(config, hook, std::move(plan), plans);
  }
  for (const auto& [name, hook] : config.webhooks) {
    Webhook webhook{hook.url, parse_webhook_format(hook.format), hook.headers, hook.timeout_ms, {}};
    webhook.poster.runner = surroundings.runner;
    webhook.poster.command.push_back(beside(surroundings.runner, "luzia-post"));
    webhook.poster.environment = inherited(kPosterInherits);
    webhook.poster.open_files = surroundings.open_files;
    HookPlan plan{rule_of(name, hook, false), name, {}, std::move(webhook), 0};
    if (!hook.callbacks) {
      add_plans(config, hook, std::move(plan), plans);
      continue;
    }
    // Programs wait for these, also at night.
    plan.rule.on = mask_of(HookOn::job_ended);
    plan.rule.escalated = 0;
    plan.rule.callbacks_below = hook.url;
    plans.push_back(std::make_shared<HookPlan>(std::move(plan)));
  }
  if (auto telegram = telegram_plan(config, surroundings)) {
    add_plans(config, config.telegram,
              {rule_of("telegram", config.telegram, true), "telegram", {}, *std::move(telegram), 0}, plans);
  }
  for (const auto& [id, device] : devices.by_id) add_push_plans(config, surroundings, device.row, plans);
  std::sort(plans.begin(), plans.end(),
            [](const auto& a, const auto& b) { return a->rule.name < b->rule.name; });
  return plans;
}

std::optional<KeptProgram> telegram_program(const Config& config, const HookSurroundings& surroundings) {
  const auto plan = telegram_plan(config, surroundings);
  if (!plan) return std::nullopt;
  return KeptProgram{"telegram",
                     {plan->sender.command.front(), "serve"},
                     plan->sender.environment,
                     settings_text(plan->settings) + "\n"};
}

std::optional<KeptProgram> web_program(const Config& config, const HookSurroundings& surroundings) {
  if (!config.web.enabled) return std::nullopt;
  KeptProgram program = program_of_store(surroundings.runner, "luzia-web", surroundings);
  for (std::string& word : web_options(config.web)) program.command.push_back(std::move(word));
  program.environment = inherited(kHookInherits);
  return program;
}

std::optional<KeptProgram> fleet_program(const Config& config, const HookSurroundings& surroundings) {
  const FleetConfig& fleet = config.fleet;
  if (fleet.url.empty()) return std::nullopt;
  KeptProgram program = program_of_store(surroundings.client, "luzia-fleet", surroundings);
  program.command.insert(program.command.begin() + 1, "run");
  program.environment = inherited(kHookInherits);
  std::ranges::move(inherited(kFleetInherits), std::back_inserter(program.environment));
  program.settings = {fleet.url, fleet.site, fleet.password_file};
  for (const auto* names : {&fleet.orders, &fleet.labels}) {
    program.settings.insert(program.settings.end(), names->begin(), names->end());
    program.settings.emplace_back();
  }
  return program;
}

std::map<std::string, DailyTime> digest_times(const Config& config) {
  std::map<std::string, DailyTime> times;
  const auto add = [&times](const std::string& name, const ChannelConfig& channel) {
    const auto daily = parse_daily_time(channel.digest);
    if (daily) times.emplace(name + std::string(kDigestSuffix), *daily);
  };
  for (const auto& [name, hook] : config.hooks) add(name, hook);
  for (const auto& [name, hook] : config.webhooks) add(name, hook);
  if (config.telegram.in_use()) add("telegram", config.telegram);
  return times;
}

std::vector<EscalationRule> escalation_rules(const Config& config) {
  std::vector<EscalationRule> rules;
  const auto add = [&rules](const std::string& name, const ChannelConfig& channel) {
    rules.push_back({rule_of(name, channel, false), channel.escalate_to, channel.escalate_after});
  };
  for (const auto& [name, hook] : config.hooks) add(name, hook);
  for (const auto& [name, hook] : config.webhooks) add(name, hook);
  if (config.telegram.in_use()) add("telegram", config.telegram);
  return rules;
}

HookOn notified_as(const HookRule& rule, const HookEvent& event) {
  if (!event.only_for.empty() || (rule.on & mask_of(event.on)) != 0) return event.on;
  // Job ends and flow gates have several event names.
  for (const HookOn wide : {HookOn::job_failed, HookOn::job_killed, HookOn::job_ended,
                            HookOn::approval_requested, HookOn::approval_decided}) {
    if ((rule.on & event.mask & mask_of(wide)) != 0) return wide;
  }
  return event.on;
}

Delivery deliver(const HookPlan& plan, const Notice& notice, const std::stop_token& stop) {
  if (const auto* webhook = std::get_if<Webhook>(&plan.way)) {
    const bool calls_back = !plan.rule.callbacks_below.empty() && notice.position != 0;
    if (!calls_back) return send_webhook(*webhook, notice, stop);
    if (!notice.callback.starts_with(plan.rule.callbacks_below))
      return {{false, true, "the webhook's url has changed", 0}, {}};
    Webhook own = *webhook;
    own.url = notice.callback;
    return send_webhook(own, notice, stop);
  }
  if (const auto* desktop = std::get_if<Desktop>(&plan.way)) return show_on_desktop(*desktop, notice, stop);
  if (const auto* bot = std::get_if<Telegram>(&plan.way)) return send_by_telegram(*bot, notice, stop);
  if (const auto* push = std::get_if<Push>(&plan.way)) return send_by_push(*push, notice, stop);
  return run_hook_command(std::get<HookCommand>(plan.way), notice, stop);
}

}  // namespace luzia
