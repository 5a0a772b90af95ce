// Recurring times: fields, days, and what happens when clocks change.
#include "engine/schedule/cron.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace luzia {
namespace {

// As the files of tzdata end; these rules hold in all years below.
constexpr const char* kBerlin = "CET-1CEST,M3.5.0,M10.5.0/3";
constexpr const char* kNewYork = "EST5EDT,M3.2.0,M11.1.0";
constexpr const char* kLordHowe = "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0";

TimeUs at(const char* rfc3339) {
  const auto time = parse_time(rfc3339, 0);
  EXPECT_TRUE(time) << rfc3339;
  return time.value_or(0);
}

/// The next `count` times, in UTC without fractions.
std::vector<std::string> times(const std::string& cron, const char* zone, const char* after, int count) {
  const auto rule = parse_cron(cron);
  EXPECT_TRUE(rule) << cron;
  const auto its_zone = parse_zone_rule(zone);
  EXPECT_TRUE(its_zone) << zone;
  std::vector<std::string> found;
  TimeUs last = at(after);
  while (rule && its_zone && count-- > 0) {
    const auto next = next_time(*rule, *its_zone, last);
    if (!next) break;
    EXPECT_GT(*next, last);
    last = *next;
    found.push_back(format_rfc3339(last).substr(0, 16));
  }
  return found;
}

struct TimesCase {
  const char *name, *cron, *zone, *after;
  std::vector<std::string> expected;
};

class CronTimes : public testing::TestWithParam<TimesCase> {};

TEST_P(CronTimes, AreThoseOfTheRule) {
  const TimesCase& one = GetParam();
  EXPECT_EQ(times(one.cron, one.zone, one.after, static_cast<int>(one.expected.size())), one.expected);
}

INSTANTIATE_TEST_SUITE_P(
    All, CronTimes,
    testing::Values(
        TimesCase{"workdays",
                  "0 7 * * 1-5",
                  "UTC0",
                  "2026-11-26T12:00:00Z",
                  {"2026-11-27T07:00", "2026-11-30T07:00", "2026-12-01T07:00"}},
        TimesCase{
            "due_now_is_the_next_one", "0 7 * * *", "UTC0", "2026-11-27T07:00:00Z", {"2026-11-28T07:00"}},
        TimesCase{"steps_and_lists",
                  "5,*/20 8-9 * * *",
                  "UTC0",
                  "2026-01-01T00:00:00Z",
                  {"2026-01-01T08:00", "2026-01-01T08:05", "2026-01-01T08:20", "2026-01-01T08:40",
                   "2026-01-01T09:00"}},
        TimesCase{"a_start_with_a_step",
                  "10/25 0 * * *",
                  "UTC0",
                  "2026-01-01T00:00:00Z",
                  {"2026-01-01T00:10", "2026-01-01T00:35", "2026-01-02T00:10"}},
        TimesCase{"names",
                  "0 0 1 JAN,Jul *",
                  "UTC0",
                  "2026-02-01T00:00:00Z",
                  {"2026-07-01T00:00", "2027-01-01T00:00"}},
        TimesCase{"a_week_that_ends_with_sunday",
                  "0 0 * * fri-sun",
                  "UTC0",
                  "2026-11-23T00:00:00Z",
                  {"2026-11-27T00:00", "2026-11-28T00:00", "2026-11-29T00:00", "2026-12-04T00:00"}},
        TimesCase{"seven_is_sunday",
                  "0 0 * * 7",
                  "UTC0",
                  "2026-11-23T00:00:00Z",
                  {"2026-11-29T00:00", "2026-12-06T00:00"}},
        TimesCase{"either_field_of_days",
                  "0 0 13 * fri",
                  "UTC0",
                  "2026-11-08T00:00:00Z",
                  {"2026-11-13T00:00", "2026-11-20T00:00", "2026-11-27T00:00", "2026-12-04T00:00",
                   "2026-12-11T00:00", "2026-12-13T00:00"}},
        TimesCase{"both_fields_of_days_with_a_star",
                  "0 0 */7 * mon",
                  "UTC0",
                  "2026-06-01T00:00:00Z",
                  {"2026-06-08T00:00", "2026-06-15T00:00", "2026-06-22T00:00", "2026-06-29T00:00"}},
        TimesCase{"daily", "@daily", "UTC0", "2026-12-31T23:59:59Z", {"2027-01-01T00:00"}},
        TimesCase{"leap_days",
                  "0 12 29 2 *",
                  "UTC0",
                  "2026-01-01T00:00:00Z",
                  {"2028-02-29T12:00", "2032-02-29T12:00"}},
        TimesCase{"no_leap_day_in_2100", "0 0 29 2 *", "UTC0", "2096-03-01T00:00:00Z", {"2104-02-29T00:00"}},
        TimesCase{"the_31st", "0 0 31 * *", "UTC0", "2026-01-31T00:00:00Z", {"2026-03-31T00:00"}},
        // 2026-03-29: 02:00 CET becomes 03:00 CEST at 01:00 UTC.
        TimesCase{"skipped_runs_at_the_moment_after",
                  "30 2 * * *",
                  kBerlin,
                  "2026-03-28T00:00:00Z",
                  {"2026-03-28T01:30", "2026-03-29T01:00", "2026-03-30T00:30"}},
        TimesCase{"all_skipped_times_are_one",
                  "0,20,40 2 * * *",
                  kBerlin,
                  "2026-03-28T12:00:00Z",
                  {"2026-03-29T01:00", "2026-03-30T00:00"}},
        // 2026-10-25: 03:00 CEST becomes 02:00 CET at 01:00 UTC.
        TimesCase{"repeated_runs_the_first_time",
                  "30 2 * * *",
                  kBerlin,
                  "2026-10-24T12:00:00Z",
                  {"2026-10-25T00:30", "2026-10-26T01:30"}},
        TimesCase{"every_hour_passes_the_skip",
                  "30 * * * *",
                  kBerlin,
                  "2026-03-29T00:00:00Z",
                  {"2026-03-29T00:30", "2026-03-29T01:30", "2026-03-29T02:30"}},
        TimesCase{"every_hour_runs_in_both_repeats",
                  "30 * * * *",
                  kBerlin,
                  "2026-10-24T23:00:00Z",
                  {"2026-10-24T23:30", "2026-10-25T00:30", "2026-10-25T01:30", "2026-10-25T02:30"}},
        // 2026-03-08: 02:00 EST becomes 03:00 EDT at 07:00 UTC; 2026-11-01: back at 06:00 UTC.
        TimesCase{"new_york_skips",
                  "15 2 * * *",
                  kNewYork,
                  "2026-03-08T00:00:00Z",
                  {"2026-03-08T07:00", "2026-03-09T06:15"}},
        TimesCase{"new_york_repeats",
                  "15 1 * * *",
                  kNewYork,
                  "2026-11-01T00:00:00Z",
                  {"2026-11-01T05:15", "2026-11-02T06:15"}},
        // Lord Howe changes by half an hour: 2026-10-04 at 15:30 UTC of the day before, 2026-04-05 at 15:00.
        TimesCase{"lord_howe_skips_half_an_hour",
                  "15 2 * * *",
                  kLordHowe,
                  "2026-10-03T00:00:00Z",
                  {"2026-10-03T15:30", "2026-10-04T15:15"}},
        TimesCase{"lord_howe_keeps_the_other_half",
                  "45 2 * * *",
                  kLordHowe,
                  "2026-10-03T00:00:00Z",
                  {"2026-10-03T15:45", "2026-10-04T15:45"}},
        TimesCase{"lord_howe_repeats_half_an_hour",
                  "45 1 * * *",
                  kLordHowe,
                  "2026-04-04T00:00:00Z",
                  {"2026-04-04T14:45", "2026-04-05T15:15"}},
        TimesCase{
            "rules_hold_in_2100", "30 2 28 3 *", kBerlin, "2099-04-01T00:00:00Z", {"2100-03-28T01:00"}}),
    [](const auto& info) { return std::string(info.param.name); });

struct BadCase {
  const char *text, *says;
};

TEST(Cron, FaultsNameFieldAndPlace) {
  const BadCase kBad[] = {
      {"", "0 fields instead of five"},
      {"* * * *", "4 fields instead of five"},
      {"* * * * * *", "6 fields instead of five"},
      {"60 * * * *", "minute, at character 1: '60' must be 0 to 59"},
      {"0 24 * * *", "hour, at character 3: '24' must be 0 to 23"},
      {"0  5  0 * *", "day of the month, at character 7: '0' must be 1 to 31"},
      {"0 0 1 foo *", "month, at character 7: 'foo' must be 1 to 12 or jan to dec"},
      {"0 0 * * 8", "day of the week, at character 9: '8' must be 0 to 7 or sun to sat"},
      {"0 0 * * 1-", "day of the week, at character 11: ''"},
      {"1,,2 * * * *", "minute, at character 3: ''"},
      {"*/0 * * * *", "minute, at character 3: '0' is no step"},
      {"1-5/x * * * *", "minute, at character 5: 'x' is no step"},
      {"9-5 * * * *", "minute, at character 1: '9-5' ends before it begins"},
      {"-1 * * * *", "minute, at character 1: ''"},
      {"0 0 30 2 *", "day of the month, at character 5: no month that it names has such a day"},
      {"0 0 31 4,6,9,11 *", "no month that it names has such a day"},
      {"@often", "'@often' is no shorthand"},
      {"99999999999999999999 * * * *", "minute, at character 1"},
  };
  for (const auto& [text, says] : kBad) {
    const auto cron = parse_cron(text);
    ASSERT_FALSE(cron) << text;
    EXPECT_EQ(cron.error().code, "bad_cron");
    EXPECT_THAT(cron.error().message, testing::HasSubstr(says)) << text;
  }
  EXPECT_FALSE(parse_cron(std::string(kMaxCronBytes + 1, ' ')));
  EXPECT_TRUE(parse_cron("0 0 30 2 mon")) << "Mondays in February";
}

TEST(Cron, EveryCountsFromItsAnchor) {
  Recurrence rule;
  rule.every = 2 * kHourUs;
  rule.anchor = at("2026-11-27T07:15:00Z");
  EXPECT_EQ(next_time(rule, rule.anchor), rule.anchor + 2 * kHourUs);
  EXPECT_EQ(next_time(rule, rule.anchor + 2 * kHourUs), rule.anchor + 4 * kHourUs);
  EXPECT_EQ(next_time(rule, rule.anchor + 2 * kHourUs - 1), rule.anchor + 2 * kHourUs);
  EXPECT_EQ(next_time(rule, rule.anchor - kDayUs), rule.anchor + 2 * kHourUs);
}

TEST(Cron, ATimeBeyondTheCalendarHasNoNext) {
  EXPECT_FALSE(next_time(*parse_cron("@daily"), TimeZone(), std::numeric_limits<TimeUs>::max()));
  EXPECT_TRUE(next_time(*parse_cron("@daily"), TimeZone(), -kDayUs));
}

/// Days at once count what one step after the other finds, whatever clocks do.
TEST(CountTimes, IsTheNumberOfSteps) {
  const TimeUs from = at("2026-01-30T10:17:30Z");
  for (const char* zone : {kBerlin, kNewYork, kLordHowe, "UTC0", "<-03>3"}) {
    for (const char* cron : {"7 * * * *", "*/20 * * * *", "30 2 * * *", "15,45 0-3 * * 0", "0 0 1 * 1",
                             "59 23 * * *", "0 0 29 2 *"}) {
      Recurrence rule;
      rule.cron = *parse_cron(cron);
      rule.zone = *parse_zone_rule(zone);
      for (const TimeUs span : {TimeUs{0}, kMinuteUs, kHourUs, 3 * kDayUs, 61 * kDayUs, 500 * kDayUs}) {
        for (const TimeUs shift : {TimeUs{0}, 29 * kSecondUs + 1, 13 * kHourUs}) {
          const TimeUs after = from + shift, until = after + span;
          std::uint64_t steps = 0;
          for (auto next = next_time(rule, after); next && *next <= until; next = next_time(rule, *next))
            ++steps;
          EXPECT_EQ(count_times(rule, after, until), steps) << cron << " in " << zone << " for " << span;
        }
      }
    }
  }
}

TEST(CountTimes, ItsEndIsCountedAndItsBeginningNot) {
  Recurrence daily;
  daily.cron = *parse_cron("0 7 * * *");
  const TimeUs seven = at("2026-11-27T07:00:00Z");
  EXPECT_EQ(count_times(daily, seven, seven + 10 * kDayUs), 10U);
  EXPECT_EQ(count_times(daily, seven - 1, seven), 1U);
  EXPECT_EQ(count_times(daily, seven, seven), 0U);
  EXPECT_EQ(count_times(daily, seven, seven - kDayUs), 0U);
  Recurrence every;
  every.every = 2 * kHourUs;
  every.anchor = kHourUs;
  EXPECT_EQ(count_times(every, 0, kHourUs), 0U) << "it begins after its anchor";
  EXPECT_EQ(count_times(every, 0, 7 * kHourUs), 3U);
  EXPECT_EQ(count_times(every, 3 * kHourUs, 7 * kHourUs), 2U);
}

TEST(CountTimes, FortyYearsOfMinutesAreQuick) {
  Recurrence rule;
  rule.cron = *parse_cron("* * * * *");
  rule.zone = *parse_zone_rule("UTC0");
  EXPECT_EQ(count_times(rule, 0, 14'600 * kDayUs), 14'600U * 1'440U);
}

}  // namespace
}  // namespace luzia
