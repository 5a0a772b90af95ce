// How often files are read, whatever the number of hints.
#include "adapters/output_log/look_budget.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

int takes_between(LookBudget& budget, TimeUs from, TimeUs to, TimeUs every) {
  int taken = 0;
  for (TimeUs now = from; now < to; now += every) taken += budget.take(now) ? 1 : 0;
  return taken;
}

TEST(LookBudget, SlowWriterIsNeverRefused) {
  LookBudget budget(500);
  EXPECT_EQ(takes_between(budget, kDayUs, kDayUs + 10 * kSecondUs, 5 * kMillisecondUs), 2000);
}

TEST(LookBudget, FloodGetsOneBurstThenTheRate) {
  LookBudget budget(500);
  EXPECT_NEAR(takes_between(budget, 0, 10 * kSecondUs, 100), 5050, 2);
}

TEST(LookBudget, UnusedBudgetDoesNotAccumulate) {
  LookBudget budget(500);
  EXPECT_TRUE(budget.take(kDayUs));
  EXPECT_EQ(takes_between(budget, 2 * kDayUs, 2 * kDayUs + 100, 1), 50);
}

TEST(LookBudget, ClockThatGoesBackIsHarmless) {
  LookBudget budget(1);
  EXPECT_TRUE(budget.take(kDayUs));
  EXPECT_FALSE(budget.take(0));
  EXPECT_TRUE(budget.take(kSecondUs));
}

}  // namespace
}  // namespace luzia
