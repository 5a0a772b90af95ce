// [[hooks]] and [[webhooks]].
#include "tests/adapters/config/parsed_config.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

constexpr char kHook[] =
    "[[hooks]]\nname = \"desk\"\non = [\"job_failed\"]\ncommand = [\"notify-send\", \"luzia\"]\n";
constexpr char kWebhook[] =
    "[[webhooks]]\nname = \"chat\"\non = [\"job_ended\", \"warning\"]\nurl = \"https://chat.example/in\"\n";

TEST(HooksConfig, OnlyNameEventsAndChannelAreRequired) {
  const Config config = config_of(std::string(kHook) + kWebhook);
  const HookConfig& hook = config.hooks.at("desk");
  EXPECT_THAT(hook.on, ElementsAre("job_failed"));
  EXPECT_THAT(hook.command, ElementsAre("notify-send", "luzia"));
  EXPECT_EQ(hook.timeout_ms, 10'000u);
  EXPECT_EQ(hook.retries, 3u);
  EXPECT_EQ(hook.cooldown_ms, 0u);
  const WebhookConfig& webhook = config.webhooks.at("chat");
  EXPECT_EQ(webhook.url, "https://chat.example/in");
  EXPECT_EQ(webhook.format, "json");
}

TEST(HooksConfig, ShownHooksReadBack) {
  const Config config =
      config_of("[projects.web]\n" + std::string(kHook) +
                "projects = [\"web\"]\ndwell = \"30s\"\ncooldown = \"10m\"\nretries = 7\n" + kWebhook +
                "format = \"slack\"\nheaders = { X-Token = \"a\\\"b\" }\ntimeout = \"1500ms\"\n");
  const std::string shown = show_config(config);
  EXPECT_THAT(shown, HasSubstr("[[hooks]]\nname = \"desk\"\n"));
  EXPECT_EQ(show_config(config_of(shown)), show_config([&] {
              Config copy = config;
              copy.files = {"luzia.toml"};
              return copy;
            }()));
}

TEST(HooksConfig, LaterFileChangesAHookByName) {
  const Config config = config_of(std::string(kHook) +
                                  "[[hooks]]\nname = \"bell\"\non = [\"warning\"]\ncommand = [\"bell\"]\n");
  EXPECT_EQ(config.hooks.size(), 2u);
}

TEST(HooksConfig, MisspeltEventNamesPlaceAndNearest) {
  const Error error = config_error_of(
      "[[hooks]]\nname = \"desk\"\non = [\"job_failed\", \"job_tined_out\"]\ncommand = [\"x\"]\n");
  EXPECT_EQ(error.code, "config_range");
  EXPECT_EQ(error.message,
            "reading luzia.toml:3:21: hooks.desk.on has 'job_tined_out', which is not an event");
  EXPECT_EQ(error.hint, "did you mean job_timed_out?");
}

TEST(HooksConfig, MisspeltKeyNamesPlaceAndNearest) {
  const Error error = config_error_of(std::string(kHook) + "colldown = \"1m\"\n");
  EXPECT_EQ(error.message, "reading luzia.toml:5:1: unknown key 'colldown' in [hooks.desk]");
  EXPECT_EQ(error.hint, "did you mean cooldown?");
}

TEST(HooksConfig, MistakesOfEachKindAreNamed) {
  const std::string webhook = "[[webhooks]]\nname = \"chat\"\non = [\"warning\"]\n";
  const std::pair<std::string, std::string> mistakes[] = {
      {"[[hooks]]\non = [\"warning\"]\ncommand = [\"x\"]\n", "has no name"},
      {"[[hooks]]\nname = \"a\"\ncommand = [\"x\"]\n", "hook 'a' names no event"},
      {"[[hooks]]\nname = \"a\"\non = [\"warning\"]\n", "hook 'a' has no command"},
      {"[[hooks]]\nname = \"a\"\non = [\"warning\"]\ncommand = []\n", "hooks.a.command names no program"},
      {"[[hooks]]\nname = \"a/b\"\non = [\"warning\"]\ncommand = [\"x\"]\n", "cannot be a name"},
      {"hooks = [1]\n", "hooks holds a whole number"},
      {"[hooks]\nname = \"a\"\n", "hooks is a table"},
      {std::string(kHook) + kHook, "there are two [[hooks]] named 'desk'"},
      {std::string(kHook) + "projects = [\"nowhere\"]\n",
       "hooks.desk.projects has 'nowhere', which is not a project"},
      {std::string(kHook) + "timeout = \"0s\"\n", "hooks.desk.timeout is '0s'"},
      {std::string(kHook) + "timeout = \"2h\"\n", "hooks.desk.timeout is '2h'"},
      {std::string(kHook) + "retries = 1000\n", "hooks.desk.retries is 1000"},
      {webhook, "webhook 'chat' has no url"},
      {webhook + "url = \"ftp://s3cret\"\n", "webhooks.chat.url must begin with https:// or http://"},
      {webhook + "url = \"https:///x\"\n", "names no host"},
      {webhook + "url = \"https://a b\"\n", "has blanks"},
      {webhook + "url = \"http://x\"\nformat = \"slak\"\n", "webhooks.chat.format is 'slak'"},
      {webhook + "url = \"http://x\"\nheaders = { \"a b\" = \"c\" }\n", "'a b' cannot be a header"},
      {webhook + "url = \"http://x\"\nheaders = { a = \"c\\r\\nd\" }\n", "has a line break"},
      {webhook + "url = \"http://x\"\nheaders = { host = \"c\" }\n", "is one that luzia sets itself"},
      {std::string(kHook) + "[[webhooks]]\nname = \"desk\"\non = [\"warning\"]\nurl = \"http://x\"\n",
       "is the name of a hook and of a webhook"}};
  for (const auto& [toml, what] : mistakes) {
    const Error error = config_error_of(toml);
    EXPECT_THAT(error.message, HasSubstr(what)) << toml;
    EXPECT_EQ(error.message.find("s3cret"), std::string::npos);
  }
}

TEST(HooksConfig, DigestIsATimeOfTheDay) {
  const std::string desk = "[[hooks]]\nname = \"desk\"\ncommand = [\"true\"]\n";
  const Config config = config_of(desk + "digest = \"07:00 1-5\"\n");
  EXPECT_EQ(config.hooks.at("desk").digest, "07:00 1-5");
  EXPECT_EQ(config_of(show_config(config)).hooks.at("desk").digest, "07:00 1-5");
  for (const char* time : {"7 am", "25:00", "07:00 6-1", "07:00 mon"}) {
    const Error error = config_error_of(desk + "digest = \"" + time + "\"\n");
    EXPECT_THAT(error.message, HasSubstr("hooks.desk.digest is '" + std::string(time) + "'"));
    EXPECT_THAT(error.hint, HasSubstr("07:00 1-5"));
  }
  EXPECT_THAT(config_error_of("[[webhooks]]\nname = \"ci\"\ncallbacks = true\nurl = \"https://ci.example/\"\n"
                              "digest = \"07:00\"\n")
                  .message,
              HasSubstr("gets callbacks, and a digest is none"));
}

TEST(HooksConfig, PushServicesAreOrigins) {
  const Config config = config_of(
      "[web]\npush_dwell = \"0s\"\npush_cooldown = \"1h\"\n"
      "push_services = [\"https://push.lan:8443\", \"http://127.0.0.1:9\"]\n");
  EXPECT_EQ(config.web.push_dwell_ms, 0U);
  EXPECT_EQ(config.web.push_cooldown_ms, 3'600'000U);
  EXPECT_THAT(config.web.push_services, ElementsAre("https://push.lan:8443", "http://127.0.0.1:9"));
  for (const char* service :
       {"push.lan", "https://push.lan/", "https://Push.lan", "https://a@push.lan", ""}) {
    const Error error = config_error_of("[web]\npush_services = [\"" + std::string(service) + "\"]\n");
    EXPECT_THAT(error.message, HasSubstr("which is not an origin")) << service;
  }
}

TEST(HooksConfig, CallbacksNeedAUrlThatEndsAName) {
  const std::string calls = "[[webhooks]]\nname = \"ci\"\ncallbacks = true\n";
  const Config config = config_of(calls + "url = \"https://ci.example/done/\"\n");
  EXPECT_TRUE(config.webhooks.at("ci").callbacks);
  EXPECT_TRUE(config_of(show_config(config)).webhooks.at("ci").callbacks);
  EXPECT_TRUE(config_of(calls + "url = \"http://127.0.0.1:8080/\"\n").webhooks.at("ci").callbacks);
  for (const char* url : {"https://ci.example", "https://ci.example/done", "https://ci.example/?a=/",
                          "https://ci.example/#/", "https://user@ci.example/"}) {
    const Error error = config_error_of(calls + "url = \"" + url + "\"\n");
    EXPECT_THAT(error.message, HasSubstr("its url must end with a slash")) << url;
  }
  EXPECT_THAT(config_error_of(calls + "url = \"https://ci.example/\"\non = [\"warning\"]\n").message,
              HasSubstr("gets callbacks, and those are ends of jobs"));
  EXPECT_THAT(config_error_of(calls + "url = \"https://ci.example/\"\nprojects = [\"nowhere\"]\n").message,
              HasSubstr("which is not a project"));
}

TEST(HooksConfig, QuietHoursAreGlobalOrPerHook) {
  const Config config =
      config_of("[notifications]\nquiet_hours = \"22:00-07:00\"\nquiet_except = [\"job_lost\"]\n" +
                std::string(kHook) + "quiet_hours = \"none\"\nunless_watched = true\n" + kWebhook);
  EXPECT_EQ(config.notifications.quiet_hours, "22:00-07:00");
  EXPECT_THAT(config.notifications.quiet_except, ElementsAre("job_lost"));
  EXPECT_EQ(config.hooks.at("desk").quiet_hours, "none");
  EXPECT_EQ(config.hooks.at("desk").unless_watched, true);
  EXPECT_EQ(config.webhooks.at("chat").quiet_hours, "");
  EXPECT_EQ(config.webhooks.at("chat").unless_watched, std::nullopt);
  EXPECT_EQ(show_config(config_of(show_config(config))), show_config([&] {
              Config copy = config;
              copy.files = {"luzia.toml"};
              return copy;
            }()));
}

TEST(HooksConfig, InvalidQuietHoursAreNamed) {
  const Error error = config_error_of("[notifications]\nquiet_hours = \"22-7\"\n");
  EXPECT_EQ(error.code, "config_range");
  EXPECT_THAT(error.message, HasSubstr("luzia.toml:2:15: notifications.quiet_hours is '22-7'"));
  EXPECT_THAT(error.hint, HasSubstr("22:00-07:00"));
  EXPECT_THAT(config_error_of("[notifications]\nquiet_except = [\"job_lst\"]\n").hint, HasSubstr("job_lost"));
}

TEST(HooksConfig, DesktopReplacesACommand) {
  const std::string desktop = "[[hooks]]\nname = \"desk\"\non = [\"job_failed\"]\ndesktop = true\n";
  EXPECT_TRUE(config_of(desktop).hooks.at("desk").desktop);
  EXPECT_THAT(config_error_of(desktop + "command = [\"x\"]\n").message,
              HasSubstr("a command and desktop = true"));
  EXPECT_THAT(config_error_of("[[hooks]]\nname = \"desk\"\non = [\"job_failed\"]\n").message,
              HasSubstr("has no command"));
}

TEST(HooksConfig, EscalationNamesAHookAndHasNoCycle) {
  const std::string to_chat = std::string(kHook) + "escalate_to = \"chat\"\nescalate_after = 0.8\n";
  const Config config = config_of(to_chat + kWebhook);
  EXPECT_EQ(config.hooks.at("desk").escalate_to, "chat");
  EXPECT_EQ(config.hooks.at("desk").escalate_after, 0.8);
  const Error nobody = config_error_of(std::string(kHook) + "escalate_to = \"chta\"\n" + kWebhook);
  EXPECT_THAT(nobody.message,
              HasSubstr("hooks.desk.escalate_to is 'chta', which is not a notification channel"));
  EXPECT_THAT(nobody.hint, HasSubstr("did you mean chat?"));
  EXPECT_THAT(config_error_of(std::string(kHook) + "escalate_to = \"desk\"\n").message,
              HasSubstr("comes back"));
  EXPECT_THAT(config_error_of(to_chat + kWebhook + "escalate_to = \"desk\"\n").message,
              HasSubstr("comes back"));
  EXPECT_THAT(config_error_of(std::string(kHook) + "escalate_after = 2\n").message,
              HasSubstr("escalate_after is 2"));
}

}  // namespace
}  // namespace luzia
