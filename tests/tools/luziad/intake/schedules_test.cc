// Which due times are settled at once, and which one is run.
#include "tools/luziad/intake/schedules.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

Recurrence every_hour() {
  Recurrence rule;
  rule.every = kHourUs;
  return rule;
}

TEST(DueTimes, OneThatIsDueNowIsNotLate) {
  const DueTimes due = due_times(every_hour(), 3 * kHourUs, 3 * kHourUs + kSecondUs, false);
  EXPECT_EQ(due.due, 3 * kHourUs);
  EXPECT_EQ(due.next, 4 * kHourUs);
  EXPECT_EQ(due.missed, 0U);
  EXPECT_FALSE(due.is_late);
}

TEST(DueTimes, TheLastOfThoseMissedIsRun) {
  const DueTimes due = due_times(every_hour(), 3 * kHourUs, 7 * kHourUs + 2 * kMinuteUs, false);
  EXPECT_EQ(due.due, 7 * kHourUs);
  EXPECT_EQ(due.next, 8 * kHourUs);
  EXPECT_EQ(due.missed, 4U);
  EXPECT_TRUE(due.is_late);
}

TEST(DueTimes, EachIsRunUpToABound) {
  const DueTimes first = due_times(every_hour(), 3 * kHourUs, 7 * kHourUs, true);
  EXPECT_EQ(first.due, 3 * kHourUs);
  EXPECT_EQ(first.next, 4 * kHourUs);
  EXPECT_EQ(first.missed, 0U);
  EXPECT_TRUE(first.is_late);
  const DueTimes many = due_times(every_hour(), kHourUs, 500 * kHourUs, true);
  EXPECT_EQ(many.missed, 500 - kMostCaughtUp);
  EXPECT_EQ(many.due, static_cast<TimeUs>(many.missed + 1) * kHourUs);
}

TEST(DueTimes, AYearOfMinutesEndsInTheFuture) {
  Recurrence rule;
  rule.cron = *parse_cron("* * * * *");
  const DueTimes due = due_times(rule, kDayUs, 366 * kDayUs, false);
  EXPECT_GT(due.next, 366 * kDayUs);
  EXPECT_TRUE(due.is_late);
}

}  // namespace
}  // namespace luzia
