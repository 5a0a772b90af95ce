// The installed configuration file: it must be valid as it is, and the defaults that it shows must be true.
#include <gtest/gtest.h>

#include <regex>

#include "adapters/config/config.h"
#include "engine/hook/hook_events.h"
#include "tests/paths.h"
#include "tests/text_files.h"

namespace luzia {
namespace {

std::string shipped_file() {
  return whole_text(source_path("tools/luzia/luzia.toml"));
}

/// The text with every commented key and table enabled.
std::string uncommented(const std::string& text) {
  return std::regex_replace(text, std::regex("(^|\n)#(\\[|[a-z_]+ = )"), "$1$2");
}

std::string without_projects(Config config) {
  config.projects.clear();
  config.hooks.clear();
  config.webhooks.clear();
  config.schedules.clear();
  config.machines.clear();
  config.files.clear();
  return show_config(config);
}

TEST(ShippedConfig, EqualsTheDefaults) {
  const auto config = parse_config(shipped_file(), "luzia.toml");
  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(without_projects(*config), without_projects(*parse_config("", "empty")));
}

TEST(ShippedConfig, ShownValuesAreTheDefaults) {
  const auto config = parse_config(uncommented(shipped_file()), "luzia.toml");
  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(without_projects(*config), without_projects(*parse_config("", "empty")));
  EXPECT_EQ(config->projects.count("web"), 1u);
  const HookConfig unset;
  const HookConfig& hook = config->hooks.at("desktop");
  EXPECT_EQ(hook.timeout_ms, unset.timeout_ms);
  EXPECT_EQ(hook.retries, unset.retries);
  EXPECT_EQ(hook.cooldown_ms, unset.cooldown_ms);
  EXPECT_EQ(hook.dwell_ms, unset.dwell_ms);
  EXPECT_EQ(config->webhooks.at("chat").format, WebhookConfig().format);
  const ScheduleConfig& schedule = config->schedules.at("morning");
  EXPECT_EQ(schedule.missed, ScheduleConfig().missed);
  EXPECT_EQ(schedule.overlap, ScheduleConfig().overlap);
}

TEST(ShippedConfig, NamesEveryHookEvent) {
  for (const std::string& event : hook_event_names()) {
    EXPECT_TRUE(std::regex_search(shipped_file(), std::regex("[ #]" + event + "[ \n]"))) << event;
  }
}

TEST(ShippedConfig, NamesEveryKey) {
  const std::string text = uncommented(shipped_file());
  Config full = *parse_config("[projects.web]\npriority = 5\nknowledge = { language = \"x\" }\n", "x");
  full.hooks["desktop"] = {};
  full.webhooks["chat"].url = "https://x";
  full.schedules["morning"].retries = 1;
  const std::string shown = show_config(full);
  const std::regex key("(?:^|\n)([a-z_]+) = ");
  for (std::sregex_iterator match(shown.begin(), shown.end(), key), end; match != end; ++match) {
    const std::string name = (*match)[1];
    EXPECT_NE(text.find("\n" + name + " = "), std::string::npos) << name << " is missing in the shipped file";
  }
}

}  // namespace
}  // namespace luzia
