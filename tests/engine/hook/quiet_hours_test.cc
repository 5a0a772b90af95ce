// The hours in which people are not disturbed.
#include "engine/hook/quiet_hours.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

struct Written {
  const char* text;
  int begin, end;  // minutes; -1: refused
};

constexpr Written kWritten[] = {
    {"22:00-07:00", 1320, 420}, {"0:00-23:59", 0, 1439}, {"7:05-7:06", 425, 426},   {"", -1, -1},
    {"22:00", -1, -1},          {"22-07", -1, -1},       {"24:00-07:00", -1, -1},   {"22:60-07:00", -1, -1},
    {"22:00-22:00", -1, -1},    {"22:0-7:00", -1, -1},   {"22:00-07:00x", -1, -1},  {" 22:00-07:00", -1, -1},
    {"-1:00-07:00", -1, -1},    {"022:00-7:00", -1, -1}, {"22:00 - 07:00", -1, -1},
};

TEST(QuietHours, AreARangeOfTimes) {
  for (const Written& each : kWritten) {
    const auto hours = parse_quiet_hours(each.text);
    ASSERT_EQ(hours.has_value(), each.begin >= 0) << each.text;
    if (!hours) continue;
    EXPECT_EQ(*hours, (QuietHours{each.begin, each.end})) << each.text;
  }
}

TEST(QuietHours, IncludeTheFirstMinuteNotTheLast) {
  const QuietHours day{9 * 60, 17 * 60}, night{22 * 60, 7 * 60};
  EXPECT_FALSE(day.contains(9 * 60 - 1));
  EXPECT_TRUE(day.contains(9 * 60));
  EXPECT_TRUE(day.contains(17 * 60 - 1));
  EXPECT_FALSE(day.contains(17 * 60));
  EXPECT_FALSE(night.contains(22 * 60 - 1));
  EXPECT_TRUE(night.contains(22 * 60));
  EXPECT_TRUE(night.contains(0));
  EXPECT_TRUE(night.contains(7 * 60 - 1));
  EXPECT_FALSE(night.contains(7 * 60));
}

}  // namespace
}  // namespace luzia
