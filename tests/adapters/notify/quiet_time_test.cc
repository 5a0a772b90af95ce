// When quiet hours end, in the local time zone.
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

 private:
  std::optional<std::string> before_;
};

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
