// [[schedules]]: what is read, and one clear line for each fault.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "adapters/config/schedule_rules.h"
#include "tests/adapters/config/parsed_config.h"

namespace luzia {
namespace {

using testing::HasSubstr;

/// A schedule of the project demo with these keys; its first line is line 2.
std::string toml_with(const std::string& keys) {
  return "[projects.demo]\n[[schedules]]\nname = \"s\"\n" + keys;
}

TEST(Schedules, AreReadAndShown) {
  const Config config = config_of(toml_with(
      "cron = \"0 7 * * 1-5\"\ntime_zone = \"UTC\"\nproject = \"demo\"\ntask = \"sum up\"\nmissed = \"All\"\n"
      "overlap = \"queue\"\npriority = 7\ntags = [\"night\"]\nretries = 2\nbudget_cost = 1.5\n"));
  const ScheduleConfig& schedule = config.schedules.at("s");
  EXPECT_EQ(schedule.missed, "all");
  EXPECT_EQ(schedule.overlap, "queue");
  EXPECT_EQ(schedule.priority, 7);
  EXPECT_EQ(schedule.retries, 2U);
  EXPECT_EQ(rule_text(schedule), "0 7 * * 1-5");
  const Config back = config_of(show_config(config));
  EXPECT_EQ(show_config(back), show_config(config));
  const auto rule = recurrence_of(schedule, 0);
  ASSERT_TRUE(rule);
  EXPECT_EQ(next_time(*rule, *parse_time("2026-11-27T08:00:00Z", 0)), *parse_time("2026-11-30T07:00:00Z", 0));
}

TEST(Schedules, FaultsAreOneLineWithTheirPlace) {
  const std::string good = "project = \"demo\"\ntask = \"t\"\n";
  const std::string every = "every = \"2h\"\n" + good;
  const std::vector<std::array<std::string, 3>> faults = {
      {good, "schedule 's' is never due", "add every = \"2h\""},
      {every + "cron = \"@daily\"\n", "luzia.toml:7:8: schedule 's' has every and cron", "leave one"},
      {good + "cron = \"0 25 * * *\"\n",
       "luzia.toml:6:8: schedule 's' has a cron that cannot be read: hour, at character 3: '25' must be 0 to "
       "23",
       "five fields"},
      {good + "cron = \"0 0 30 2 *\"\n", "no month that it names has such a day", "last day"},
      {good + "every = \"20ms\"\n", "more often than every second", "10m"},
      {good + "every = \"often\"\n", "must be a duration", "90s"},
      {every + "time_zone = \"UTC\"\n", "has every, which needs no time_zone", ""},
      {"every = \"2h\"\ntask = \"t\"\n", "schedule 's' has no project", "add project"},
      {"every = \"2h\"\ntask = \"t\"\nproject = \"dmeo\"\n",
       "luzia.toml:6:11: schedule 's' is for 'dmeo', which is no project", "did you mean demo?"},
      {every + "agent = \"cluade\"\n", "which is no agent", "did you mean claude?"},
      {"every = \"2h\"\nproject = \"demo\"\n", "schedule 's' has no task", "add task"},
      {"every = \"2h\"\nproject = \"demo\"\ntask = \" \\n\"\n", "schedule 's' has no task", "add task"},
      {"every = \"2h\"\nproject = \"demo\"\ntask = \"" + std::string(300'000, 'x') + "\"\n", "over 256 KiB",
       ""},
      {every + "tags = [\"a b\"]\n", "has a tag", "one word"},
      {every + "missed = \"never\"\n", "it must be one of once, skip, all", ""},
      {every + "user = \"root\"\n", "it must be a user other than root", ""},
      {every + "evry = \"1h\"\n", "unknown key 'evry'", "did you mean every?"},
      {every + "[[schedules]]\nname = \"s\"\n" + every, "there are two [[schedules]] named 's'", ""},
  };
  for (const auto& [keys, message, hint] : faults) {
    const Error error = config_error_of(toml_with(keys));
    EXPECT_THAT(error.message, HasSubstr(message)) << keys.substr(0, 200);
    EXPECT_THAT(error.hint, HasSubstr(hint)) << error.message;
    EXPECT_EQ(error.message.find('\n'), std::string::npos) << error.message;
    EXPECT_EQ(error.message.find("more;"), std::string::npos) << "one fault is one error: " << error.message;
  }
}

TEST(Schedules, AMissingTimeZoneIsAFaultOfItsScheduleAlone) {
  for (const char* zone : {"Mars/Base", "../../etc/passwd"}) {
    const Config config = config_of(toml_with(
        "cron = \"@daily\"\nproject = \"demo\"\ntask = \"t\"\ntime_zone = \"" + std::string(zone) + "\"\n"));
    const auto faults = schedule_faults(config);
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_TRUE(faults[0].of_machine);
    EXPECT_EQ(faults[0].key, "schedules.s.time_zone");
    EXPECT_THAT(faults[0].what, HasSubstr(std::string(zone) + "' is no time zone of "));
    EXPECT_FALSE(recurrence_of(config.schedules.at("s"), 0));
  }
}

TEST(Schedules, DifferentRulesHaveDifferentTexts) {
  ScheduleConfig schedule;
  std::set<std::string> texts;
  for (const std::uint64_t ms : {1'000, 1'500, 60'000, 90'000, 7'200'000, 90'000'000, 90'060'000}) {
    schedule.every_ms = ms;
    texts.insert(rule_text(schedule));
  }
  EXPECT_EQ(texts.size(), 7U);
  EXPECT_TRUE(texts.contains("every 2h"));
}

TEST(Schedules, TimeZonesAreThoseOfTheDatabase) {
  const auto utc = find_time_zone("UTC");
  ASSERT_TRUE(utc);
  EXPECT_EQ(offset_at(*utc, 0), 0);
  for (const char* bad : {"/etc/localtime", "Europe", "Europe/", "a\nb", ".."}) {
    const auto zone = find_time_zone(bad);
    ASSERT_FALSE(zone) << bad;
    EXPECT_EQ(zone.error().code, "unknown_time_zone");
  }
}

}  // namespace
}  // namespace luzia
