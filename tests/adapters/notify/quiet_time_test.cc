// When quiet hours end, and times of the day come, in the local time zone.
#include "adapters/notify/quiet_time.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>

namespace luzia {
namespace {

/// All tests use Berlin's time: UTC+1, in summer UTC+2. It is given as a rule, so that no time zone files are
/// needed.
class QuietTime : public testing::Test {
 protected:
  QuietTime() {
    if (const char* zone = std::getenv("TZ")) before_ = zone;
    set("CET-1CEST,M3.5.0,M10.5.0/3");
  }
  ~QuietTime() override {
    if (before_) {
      set(before_->c_str());
    } else {
      ::unsetenv("TZ");
      ::tzset();
    }
  }
  static void set(const char* zone) {
    ::setenv("TZ", zone, 1);
    ::tzset();
  }
  static std::string until(const char* hours, const char* now) {
    const auto at = parse_time(now, 0);
    EXPECT_TRUE(at.has_value()) << now;
    const TimeUs end = quiet_until(*parse_quiet_hours(hours), *at);
    return end == 0 ? "" : format_rfc3339(end).substr(0, 19);
  }

  /// The last such moment, and the next one.
  static std::string around(const char* daily, const char* now) {
    const auto time = parse_daily_time(daily);
    const auto at = parse_time(now, 0);
    EXPECT_TRUE(time && at) << daily << now;
    return format_rfc3339(last_moment(*time, *at)).substr(0, 16) + " " +
           format_rfc3339(next_moment(*time, *at)).substr(0, 16);
  }

 private:
  std::optional<std::string> before_;
};

TEST_F(QuietTime, TimesOfTheDayComeOnceADay) {
  EXPECT_EQ(around("07:00", "2026-01-10T06:00:00Z"), "2026-01-10T06:00 2026-01-11T06:00");
  EXPECT_EQ(around("07:00", "2026-01-10T05:59:59Z"), "2026-01-09T06:00 2026-01-10T06:00");
  EXPECT_EQ(around("00:30", "2026-12-31T23:45:00Z"), "2026-12-31T23:30 2027-01-01T23:30");
  // 2026-01-10 is a Saturday.
  EXPECT_EQ(around("07:00 1-5", "2026-01-10T12:00:00Z"), "2026-01-09T06:00 2026-01-12T06:00");
  EXPECT_EQ(around("07:00 6", "2026-01-10T12:00:00Z"), "2026-01-10T06:00 2026-01-17T06:00");
  EXPECT_EQ(around("07:00 6", "2026-01-10T05:00:00Z"), "2026-01-03T06:00 2026-01-10T06:00");
}

TEST_F(QuietTime, ChangesOfTheClockNeitherRepeatNorLoseAMoment) {
  EXPECT_EQ(around("07:00", "2026-03-29T12:00:00Z"), "2026-03-29T05:00 2026-03-30T05:00");
  // 02:30 comes twice on 2026-10-25: the first counts, and the second is not another one.
  EXPECT_EQ(around("02:30", "2026-10-25T00:29:00Z"), "2026-10-24T00:30 2026-10-25T00:30");
  EXPECT_EQ(around("02:30", "2026-10-25T00:31:00Z"), "2026-10-25T00:30 2026-10-26T01:30");
  EXPECT_EQ(around("02:30", "2026-10-25T01:31:00Z"), "2026-10-25T00:30 2026-10-26T01:30");
  // 02:30 is skipped on 2026-03-29, and moves by an hour.
  const auto moved = parse_time("2026-03-29T12:00:00Z", 0);
  const TimeUs last = last_moment(*parse_daily_time("02:30"), *moved);
  EXPECT_GE(last, *parse_time("2026-03-29T00:30:00Z", 0));
  EXPECT_LE(last, *parse_time("2026-03-29T01:30:00Z", 0));
}

TEST_F(QuietTime, EndsTodayOrTomorrow) {
  EXPECT_EQ(until("22:00-07:00", "2026-01-10T20:59:59Z"), "");
  EXPECT_EQ(until("22:00-07:00", "2026-01-10T21:00:00Z"), "2026-01-11T06:00:00");
  EXPECT_EQ(until("22:00-07:00", "2026-01-11T05:59:59Z"), "2026-01-11T06:00:00");
  EXPECT_EQ(until("22:00-07:00", "2026-01-11T06:00:00Z"), "");
  EXPECT_EQ(until("22:00-07:00", "2026-07-10T20:00:00Z"), "2026-07-11T05:00:00");
  EXPECT_EQ(until("12:00-13:00", "2026-01-31T11:30:00Z"), "2026-01-31T12:00:00");
  EXPECT_EQ(until("22:00-07:00", "2026-12-31T22:30:00Z"), "2027-01-01T06:00:00");
}

TEST_F(QuietTime, DaylightSavingNightEndsByTheNewClock) {
  EXPECT_EQ(until("22:00-07:00", "2026-03-28T22:00:00Z"), "2026-03-29T05:00:00");
  EXPECT_EQ(until("22:00-07:00", "2026-10-24T22:00:00Z"), "2026-10-25T06:00:00");
}

TEST_F(QuietTime, SkippedEndTimeIsStillInTheFuture) {
  const auto at =
      parse_time("2026-03-29T00:59:00Z", 0);  // 01:59 local time; a minute later the clock jumps to 03:00
  ASSERT_TRUE(at.has_value());
  const TimeUs end = quiet_until(*parse_quiet_hours("22:00-02:30"), *at);
  EXPECT_GT(end, *at);
  EXPECT_LE(end, *at + 2 * kHourUs);
}

}  // namespace
}  // namespace luzia
