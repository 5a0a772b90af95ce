#include "engine/base/time.h"

#include <gtest/gtest.h>
#include <time.h>

#include <cstdlib>
#include <limits>

#include "engine/base/local_time.h"

namespace luzia {
namespace {

constexpr TimeUs kMin = std::numeric_limits<TimeUs>::min();
constexpr TimeUs kMax = std::numeric_limits<TimeUs>::max();
constexpr TimeUs kNow = 1'795'253'859 * kSecondUs + 1;  // 2026-11-21T09:37:39.000001Z

TEST(FormatRfc3339, ShowsUtcWithSixDigits) {
  const std::pair<TimeUs, const char*> cases[] = {
      {0, "1970-01-01T00:00:00.000000Z"},
      {kNow, "2026-11-21T09:37:39.000001Z"},
      {-1, "1969-12-31T23:59:59.999999Z"},
      {-kDayUs, "1969-12-31T00:00:00.000000Z"},
      {951'782'400 * kSecondUs, "2000-02-29T00:00:00.000000Z"},
      {951'868'799 * kSecondUs + 999'999, "2000-02-29T23:59:59.999999Z"},
      {1'709'164'800 * kSecondUs, "2024-02-29T00:00:00.000000Z"},
      {4'107'542'400 * kSecondUs, "2100-03-01T00:00:00.000000Z"},
      {4'107'456'000 * kSecondUs, "2100-02-28T00:00:00.000000Z"},
      {kMax, "9999-12-31T23:59:59.999999Z"},
      {kMin, "0000-01-01T00:00:00.000000Z"},
  };
  for (const auto& [time, text] : cases) EXPECT_EQ(format_rfc3339(time), text);
}

TEST(ParseTime, ReadsBackFormattedTimes) {
  for (TimeUs time = -3'000'000'000 * kSecondUs; time < 9'000'000'000 * kSecondUs;
       time += 9'876'543'210'123) {
    EXPECT_EQ(parse_time(format_rfc3339(time), kNow), time) << format_rfc3339(time);
  }
}

TEST(ParseTime, AcceptsItsForms) {
  const TimeUs today = 1'795'219'200 * kSecondUs;
  const std::pair<const char*, TimeUs> cases[] = {
      {"2026-11-21T09:37:39.000001Z", kNow},
      {"2026-11-21t09:37:39.000001z", kNow},
      {"2026-11-21T09:37:39Z", kNow - 1},
      {"2026-11-21T10:37:39+01:00", kNow - 1},
      {"2026-11-21T04:07:39-05:30", kNow - 1},
      {"2026-11-22T00:37:39+15:00", kNow - 1},
      {"2026-11-21T09:37:39.5Z", kNow - 1 + 500'000},
      {"2026-11-21T09:37:39.0000019Z", kNow},
      {"2026-11-21 09:37:39.25", kNow - 1 + 250'000},
      {"2026-11-21 09:37", kNow - 1 - 39 * kSecondUs},
      {"2026-11-21T09:37", kNow - 1 - 39 * kSecondUs},
      {"2026-11-21", today},
      {"  2026-11-21  ", today},
      {"2024-02-29", 1'709'164'800 * kSecondUs},
      {"1969-12-31T23:59:59.999999Z", -1},
      {"09:37:39", kNow - 1},
      {"00:00", today},
      {"23:59:59.999999", today - 1},
      {"22:00", today - 2 * kHourUs},
      {"yesterday 09:00", today - 15 * kHourUs},
      {"09:00 yesterday", today - 15 * kHourUs},
      {"today 09:00", today + 9 * kHourUs},
      {"23:00 today", today + 23 * kHourUs},
      {"now", kNow},
      {"today", today},
      {"yesterday", today - kDayUs},
      {"10m", kNow - 10 * kMinuteUs},
      {"10m ago", kNow - 10 * kMinuteUs},
      {"2h ago", kNow - 2 * kHourUs},
      {"1 hour ago", kNow - kHourUs},
      {"an hour ago", kNow - kHourUs},
      {"30 minutes ago", kNow - 30 * kMinuteUs},
      {"2 days ago", kNow - 2 * kDayUs},
      {"1d2h", kNow - 26 * kHourUs},
      {"250ms", kNow - 250 * kMillisecondUs},
  };
  for (const auto& [text, time] : cases) EXPECT_EQ(parse_time(text, kNow), time) << text;
}

TEST(ParseTime, DaysBeforeTheEpochAreAccepted) {
  EXPECT_EQ(parse_time("today", -1), -kDayUs);
  EXPECT_EQ(parse_time("01:00", -1), -kDayUs + kHourUs);
}

TEST(ParseTime, RefusesEverythingElse) {
  for (const char* text : {"",
                           " ",
                           "tomorrow",
                           "ago",
                           "10",
                           "2026",
                           "2026-11",
                           "2026-13-01",
                           "2026-00-01",
                           "2026-11-00",
                           "2026-11-31",
                           "2023-02-29",
                           "1900-02-29",
                           "2026-11-21T",
                           "2026-11-21T24:00:00Z",
                           "2026-11-21T09:60:00Z",
                           "2026-11-21T09:37:60Z",
                           "2026-11-21T09:37:39.Z",
                           "2026-11-21T09:37:39+1:00",
                           "2026-11-21T09:37:39+0100",
                           "2026-11-21T09:37:39+24:00",
                           "2026-11-21T09:37:39Zx",
                           "2026-11-21T09:37:39ZZ",
                           "26-11-21",
                           "2026-1-1",
                           "24:00",
                           "9:37",
                           "09:37:",
                           "-10m",
                           "10 m",
                           "1 hour",
                           "1 hours hour ago",
                           "2 fortnights ago",
                           "10m later",
                           "200000000000d",
                           "12345678901234567890s",
                           "yesterday 25:00",
                           "yesterday 09:00 yesterday",
                           "today yesterday",
                           "09-37"}) {
    EXPECT_EQ(parse_time(text, kNow), std::nullopt) << text;
  }
}

TEST(ParseTime, DurationAgoDoesNotOverflow) {
  EXPECT_EQ(parse_time("1ms", kMin), std::nullopt);
  EXPECT_EQ(parse_time("1ms", kMin + 1000), kMin);
  EXPECT_EQ(parse_time("9223372036854775807ms", 0), std::nullopt);
  EXPECT_EQ(parse_time("9223372036854775ms", 0), -9'223'372'036'854'775'000);
}

/// Tests in a time zone with two clock changes a year.
class LocalTime : public testing::Test {
 protected:
  LocalTime() { live_in("CET-1CEST,M3.5.0,M10.5.0/3"); }
  ~LocalTime() override {
    ::unsetenv("TZ");
    ::tzset();
  }
  static void live_in(const char* zone) {
    ::setenv("TZ", zone, 1);
    ::tzset();
  }
  static std::string read(std::string_view text, std::string_view now = "2026-11-21T09:37:39Z") {
    const auto time = parse_local_time(text, *parse_time(now, 0));
    return time ? format_rfc3339(*time).substr(0, 19) : "none";
  }
  static std::string read_to_come(std::string_view text, std::string_view now = "2026-11-21T09:37:39Z") {
    const auto time = parse_local_time_to_come(text, *parse_time(now, 0));
    return time ? format_rfc3339(*time).substr(0, 19) : "none";
  }
};

TEST_F(LocalTime, TimeWithoutAnOffsetIsLocal) {
  EXPECT_EQ(read("10:30"), "2026-11-21T09:30:00");
  EXPECT_EQ(read("2026-07-01 12:00"), "2026-07-01T10:00:00") << "in summer";
  EXPECT_EQ(read("2026-07-01"), "2026-06-30T22:00:00");
  EXPECT_EQ(read("2026-07-01T12:00:00Z"), "2026-07-01T12:00:00");
  EXPECT_EQ(read("2026-07-01T12:00:00+05:00"), "2026-07-01T07:00:00");
  EXPECT_EQ(read("today"), "2026-11-20T23:00:00");
  EXPECT_EQ(read("yesterday"), "2026-11-19T23:00:00");
  EXPECT_EQ(read("today", "2026-11-21T23:30:00Z"), "2026-11-21T23:00:00") << "the day has begun here";
  EXPECT_EQ(read("2h"), "2026-11-21T07:37:39");
  EXPECT_EQ(read_to_come("22:30"), "2026-11-21T21:30:00");
  EXPECT_EQ(read_to_come("10:00"), "2026-11-22T09:00:00");
  EXPECT_EQ(read_to_come("tomorrow"), "2026-11-21T23:00:00");
}

TEST_F(LocalTime, RepeatedLocalTimeMeansTheFirst) {
  EXPECT_EQ(read("2026-10-25 02:30"), "2026-10-25T00:30:00");
  EXPECT_EQ(read("2026-10-25 03:00"), "2026-10-25T02:00:00");
  EXPECT_EQ(read("2026-10-25 01:59:59"), "2026-10-24T23:59:59");
}

TEST_F(LocalTime, SkippedLocalTimeIsMovedForward) {
  EXPECT_EQ(read("2026-03-29 02:30"), "2026-03-29T01:30:00") << "shown as 03:30";
  EXPECT_EQ(read("2026-03-29 03:30"), "2026-03-29T01:30:00");
  EXPECT_EQ(read("2026-03-29 01:30"), "2026-03-29T00:30:00");
  EXPECT_EQ(read_to_come("02:30", "2026-03-28T20:00:00Z"), "2026-03-29T01:30:00");
}

TEST_F(LocalTime, NextTimeOfDayHandlesLongDays) {
  EXPECT_EQ(read_to_come("22:30", "2026-10-24T21:00:00Z"), "2026-10-25T21:30:00") << "25 hours long";
}

TEST_F(LocalTime, OffsetIsShownAndReadsBack) {
  const TimeUs winter = *parse_time("2026-11-21T09:37:39.000001Z", 0);
  const TimeUs summer = *parse_time("2026-07-01T12:00:00Z", 0);
  EXPECT_EQ(format_local(winter), "2026-11-21T10:37:39.000001+01:00");
  EXPECT_EQ(format_local(summer), "2026-07-01T14:00:00.000000+02:00");
  EXPECT_EQ(local_time(summer), "2026-07-01 14:00:00+02:00");
  EXPECT_EQ(local_time(summer, TimePart::minute), "2026-07-01 14:00+02:00");
  EXPECT_EQ(local_clock(winter, TimePart::millisecond), "10:37:39.000+01:00");
  for (TimeUs time = summer; time < winter; time += 7 * kHourUs + kMinuteUs) {
    EXPECT_EQ(parse_time(format_local(time), 0), time);
    EXPECT_EQ(parse_time(local_time(time), 0), time);
  }
  live_in("UTC0");
  EXPECT_EQ(format_local(winter), format_rfc3339(winter));
  EXPECT_EQ(local_time(winter), "2026-11-21 09:37:39Z");
  live_in("XST+3:30");
  EXPECT_EQ(local_clock(summer), "08:30:00-03:30");
}

TEST(ParseDuration, AcceptsItsForms) {
  const std::pair<const char*, std::uint64_t> cases[] = {
      {"0", 0},
      {"90", 90'000},
      {"90s", 90'000},
      {"15m", 900'000},
      {"2h30m", 9'000'000},
      {"1d", 86'400'000},
      {"250ms", 250},
      {"1d2h3m4s5ms", 93'784'005},
      {"1h5ms", 3'600'005},
      {"007s", 7'000},
      {"18446744073709551615ms", ~std::uint64_t{0}},
  };
  for (const auto& [text, ms] : cases) EXPECT_EQ(parse_duration_ms(text), ms) << text;
}

TEST(ParseDuration, RefusesEverythingElse) {
  for (const char* text : {"",
                           " ",
                           "s",
                           "-5s",
                           "+5s",
                           "5 s",
                           "5s ",
                           " 5s",
                           "5x",
                           "5S",
                           "1.5h",
                           "1h30",
                           "30m2h",
                           "1h1h",
                           "1ms1s",
                           "5sm",
                           "1e3",
                           "18446744073709551616ms",
                           "18446744073709551615s",
                           "18446744073709551615",
                           "213503982335d",
                           "18446744073709551s616ms",
                           "ms",
                           "m5"}) {
    EXPECT_EQ(parse_duration_ms(text), std::nullopt) << text;
  }
}

TEST(FormatDuration, IsShortForPeople) {
  const std::pair<TimeUs, const char*> cases[] = {
      {0, "0.0s"},
      {99'999, "0.0s"},
      {399'999, "0.3s"},
      {9'999'999, "9.9s"},
      {12 * kSecondUs, "12s"},
      {59'999'999, "59s"},
      {4 * kMinuteUs + 10 * kSecondUs, "4m10s"},
      {4 * kMinuteUs + 5 * kSecondUs, "4m05s"},
      {2 * kHourUs + 5 * kMinuteUs + 59 * kSecondUs, "2h05m"},
      {kDayUs - 1, "23h59m"},
      {3 * kDayUs + 4 * kHourUs, "3d4h"},
      {-12 * kSecondUs, "-12s"},
      {kMax, "106751991d4h"},
      {kMin, "-106751991d4h"},
  };
  for (const auto& [duration, text] : cases) EXPECT_EQ(format_duration(duration), text);
}

TEST(FormatMilliseconds, ShownBelowASecond) {
  const std::pair<double, const char*> cases[] = {
      {0, "0 ms"},     {0.4, "0 ms"},   {0.6, "1 ms"},     {999.4, "999 ms"},
      {999.6, "1.0s"}, {1'000, "1.0s"}, {12'345.6, "12s"}, {250'000, "4m10s"},
  };
  for (const auto& [ms, text] : cases) EXPECT_EQ(format_milliseconds(ms), text);
}

}  // namespace
}  // namespace luzia
