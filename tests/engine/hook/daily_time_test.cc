// Times of the day, and days of the week.
#include "engine/hook/daily_time.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

TEST(DailyTimes, HaveATimeAndPerhapsDays) {
  EXPECT_EQ(parse_daily_time("07:00"), (DailyTime{420, 1, 7}));
  EXPECT_EQ(parse_daily_time("7:05 1-5"), (DailyTime{425, 1, 5}));
  EXPECT_EQ(parse_daily_time("23:59 7"), (DailyTime{1439, 7, 7}));
  EXPECT_EQ(parse_daily_time("0:00 3-3"), (DailyTime{0, 3, 3}));
  for (const char* text :
       {"", " ", "7", "24:00", "07:60", "07:00 ", " 07:00", "07:00 0", "07:00 8", "07:00 5-1", "07:00 1-",
        "07:00 -5", "07:00 1-5 ", "07:00  1", "07:00-08:00", "07:00 mon"}) {
    EXPECT_FALSE(parse_daily_time(text)) << text;
  }
}

TEST(DailyTimes, SundayIsTheSeventhDay) {
  const DailyTime work{0, 1, 5}, sunday{0, 7, 7};
  EXPECT_TRUE(work.is_on(1));
  EXPECT_TRUE(work.is_on(5));
  EXPECT_FALSE(work.is_on(6));
  EXPECT_FALSE(work.is_on(0));
  EXPECT_TRUE(sunday.is_on(0));
  EXPECT_FALSE(sunday.is_on(6));
}

}  // namespace
}  // namespace luzia
