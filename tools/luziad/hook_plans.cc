#include "tools/luziad/hook_plans.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <span>

namespace luzia {
namespace {

/// What a hook takes over from the daemon: where programs are, how text is written and whose it is.
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

/// Of luzia-post: proxies and where certificates are.
constexpr const char* kPosterInherits[] = {"http_proxy", "https_proxy",   "HTTPS_PROXY",
                                           "all_proxy",  "ALL_PROXY",     "no_proxy",
                                           "NO_PROXY",   "SSL_CERT_FILE", "SSL_CERT_DIR"};

std::vector<std::string> inherited(std::span<const char* const> names) {
  std::vector<std::string> environment;
  for (const char* name : names) {
    if (const char* value = std::getenv(name)) environment.push_back(std::string(name) + "=" + value);
  }
  return environment;
}

/// As built and as installed.
std::string poster_beside(const std::string& runner) {
  const std::filesystem::path folder = std::filesystem::path(runner).parent_path();
  std::filesystem::path found = folder / "../luzia-post/luzia-post";
  if (::access(found.c_str(), X_OK) != 0) found = folder / "luzia-post";
  return found.lexically_normal().string();
}

std::vector<std::string> hook_environment(const std::string& socket) {
  std::vector<std::string> environment = inherited(kHookInherits);
  if (std::getenv("PATH") == nullptr) environment.emplace_back(kHookPath);
  environment.push_back("LUZIA_SOCKET=" + socket);
  return environment;
}

template <class Hook>
HookRule rule_of(const std::string& name, const Hook& hook) {
  HookRule rule;
  rule.name = name;
  for (const std::string& word : hook.on) {
    if (const auto on = parse_hook_event(word)) rule.on |= mask_of(*on);
  }
  rule.projects = hook.projects;
  rule.retries = hook.retries;
  rule.cooldown_ms = hook.cooldown_ms;
  rule.dwell_ms = hook.dwell_ms;
  return rule;
}

}  // namespace

std::vector<std::shared_ptr<const HookPlan>> hook_plans(const Config& config,
                                                        const HookSurroundings& surroundings) {
  std::vector<std::shared_ptr<const HookPlan>> plans;
  for (const auto& [name, hook] : config.hooks) {
    HookCommand command;
    command.runner = surroundings.runner;
    command.command = hook.command;
    command.environment = hook_environment(surroundings.socket);
    command.timeout_ms = hook.timeout_ms;
    command.open_files = surroundings.open_files;
    plans.push_back(std::make_shared<HookPlan>(HookPlan{rule_of(name, hook), std::move(command)}));
  }
  for (const auto& [name, hook] : config.webhooks) {
    Webhook webhook{hook.url, parse_webhook_format(hook.format), hook.headers, hook.timeout_ms, {}};
    webhook.poster.runner = surroundings.runner;
    webhook.poster.command.push_back(poster_beside(surroundings.runner));
    webhook.poster.environment = inherited(kPosterInherits);
    webhook.poster.open_files = surroundings.open_files;
    plans.push_back(std::make_shared<HookPlan>(HookPlan{rule_of(name, hook), std::move(webhook)}));
  }
  std::sort(plans.begin(), plans.end(),
            [](const auto& a, const auto& b) { return a->rule.name < b->rule.name; });
  return plans;
}

HookOn told_as(const HookRule& rule, const HookEvent& event) {
  const bool asked = (rule.on & mask_of(event.on)) != 0;
  // Of an end there are two names.
  return asked ? event.on : HookOn::job_ended;
}

Delivery deliver(const HookPlan& plan, const Notice& notice, const std::stop_token& stop) {
  if (const auto* webhook = std::get_if<Webhook>(&plan.way)) return send_webhook(*webhook, notice, stop);
  return run_hook_command(std::get<HookCommand>(plan.way), notice, stop);
}

}  // namespace luzia
