#include "engine/base/local_time.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace luzia {
namespace {

class LocalTimeTest : public testing::Test {
 protected:
  void SetUp() override {
    setenv("TZ", "CET-1", 1);
    ::tzset();
  }
  void TearDown() override {
    unsetenv("TZ");
    ::tzset();
  }

  const TimeUs noon_ = *parse_time("2026-11-24T12:00:00Z", 0);
};

TEST_F(LocalTimeTest, LocalTimeNamesItsZone) {
  EXPECT_EQ(clock_with_zone(noon_, noon_), "13:00 CET");
}

TEST_F(LocalTimeTest, OtherDaysAreNamed) {
  EXPECT_EQ(clock_with_zone(noon_ + 11 * kHourUs, noon_), "2026-11-25 00:00 CET");
  EXPECT_EQ(clock_with_zone(noon_ - 365 * kDayUs, noon_), "2025-11-24 13:00 CET");
}

TEST_F(LocalTimeTest, FutureTimeSaysHowFarAwayItIs) {
  EXPECT_EQ(local_moment(noon_ + 10 * kMinuteUs, noon_), "13:10 CET, in 10m00s");
  EXPECT_EQ(local_moment(noon_, noon_), "13:00 CET");
}

TEST_F(LocalTimeTest, TimesFarFromNowAreShown) {
  EXPECT_EQ(clock_with_zone(-1, noon_), "1970-01-01 00:59 CET");
  EXPECT_EQ(clock_with_zone(INT64_MAX, noon_).substr(0, 6), "294247");
}

}  // namespace
}  // namespace luzia
