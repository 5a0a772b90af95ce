#include "engine/base/percent.h"

#include <gtest/gtest.h>

#include <limits>

namespace luzia {
namespace {

TEST(WholePercent, RoundsToTheNearestWhole) {
  EXPECT_EQ(whole_percent(6.0 / 7), "86 %");
  EXPECT_EQ(whole_percent(0.854), "85 %");
  EXPECT_EQ(whole_percent(0.5), "50 %");
  EXPECT_EQ(whole_percent(1.25), "125 %");
}

TEST(WholePercent, EndsMeanNothingAndAll) {
  EXPECT_EQ(whole_percent(0), "0 %");
  EXPECT_EQ(whole_percent(0.0001), "1 %");
  EXPECT_EQ(whole_percent(0.9999), "99 %");
  EXPECT_EQ(whole_percent(1), "100 %");
}

TEST(WholePercent, NoNumberIsNothing) {
  EXPECT_EQ(whole_percent(std::numeric_limits<double>::quiet_NaN()), "0 %");
  EXPECT_EQ(whole_percent(std::numeric_limits<double>::infinity()), "0 %");
}

}  // namespace
}  // namespace luzia
