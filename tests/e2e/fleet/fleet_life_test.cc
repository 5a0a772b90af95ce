// The short form of the campaign `fleet`.
#include "tests/e2e/fleet/fleet_life.h"

namespace luzia::test {
namespace {

TEST(FleetLifeTest, DatabaseFollowsEachLogThroughFailures) {
  FleetLife life(7, false);
  EXPECT_EQ(life.run(6), "") << testing::PrintToString(life.story());
}

/// As it is for those who are not root.
TEST(FleetLifeTest, RelaysBreakItElsewhere) {
  FleetLife life(3, false, false);
  EXPECT_EQ(life.run(4), "") << testing::PrintToString(life.story());
}

}  // namespace
}  // namespace luzia::test
