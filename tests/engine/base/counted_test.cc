#include "engine/base/counted.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

TEST(Counted, OneIsSingular) {
  EXPECT_EQ(counted(0, "warning"), "0 warnings");
  EXPECT_EQ(counted(1, "warning"), "1 warning");
  EXPECT_EQ(counted(2'345, "warning"), "2,345 warnings");
  EXPECT_EQ(counted(1, "job of it", "jobs of it"), "1 job of it");
  EXPECT_EQ(counted(3, "job of it", "jobs of it"), "3 jobs of it");
}

TEST(Grouped, DigitsAreGroupedInThrees) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
}

}  // namespace
}  // namespace luzia
