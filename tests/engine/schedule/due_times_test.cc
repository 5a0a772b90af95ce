// Which due times are settled at once, and which one is run.
#include "engine/schedule/due_times.h"

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
  EXPECT_EQ(due.due, 366 * kDayUs);
  EXPECT_EQ(due.next, 366 * kDayUs + kMinuteUs);
  EXPECT_EQ(due.missed, 365U * 1'440U) << "each is counted";
}

TEST(DueTimes, OneCommandLeavesOutAllButTheLast) {
  Recurrence minutes;
  minutes.cron = *parse_cron("* * * * *");
  Recurrence seconds;
  seconds.every = kSecondUs;
  const struct {
    const Recurrence& rule;
    TimeUs period;
  } rules[] = {{minutes, kMinuteUs}, {seconds, kSecondUs}};
  for (const auto& [rule, period] : rules) {
    constexpr TimeUs kPassed = 1'000'000;
    const TimeUs first = kDayUs, now = first + (kPassed - 1) * period;
    const DueTimes due = due_times(rule, first, now, true);
    EXPECT_EQ(due.missed, kPassed - kMostCaughtUp);
    EXPECT_EQ(due.due, now - static_cast<TimeUs>(kMostCaughtUp - 1) * period);
    const DueTimes rest = due_times(rule, due.next, now, true);
    EXPECT_EQ(rest.missed, 0U) << "what is left is run one by one";
    EXPECT_EQ(rest.due, due.due + period);
  }
}

// ---------------------------------------------------------------------------------------- due_command()

Schedule hourly(TimeUs next) {
  Schedule state;
  state.schedule = "s";
  state.position = 1;
  state.next_us = next;
  return state;
}

std::optional<SettleDue> settled(const Schedule& state, Missed missed, bool last_lives, TimeUs now) {
  const auto command = due_command(state, every_hour(), {missed, Overlap::skip}, last_lives, now);
  const auto* settle = command ? std::get_if<SettleDue>(&*command) : nullptr;
  return settle == nullptr ? std::nullopt : std::optional(*settle);
}

TEST(DueCommand, NothingIsDueBeforeItsTimeOrWhilePaused) {
  Schedule state = hourly(3 * kHourUs);
  EXPECT_FALSE(settled(state, Missed::once, false, 3 * kHourUs - 1));
  EXPECT_TRUE(settled(state, Missed::once, false, 3 * kHourUs));
  state.paused_us = 1;
  EXPECT_FALSE(settled(state, Missed::once, false, 3 * kHourUs));
}

TEST(DueCommand, WhatIsLateIsTooLateOnlyIfItIsSkipped) {
  const Schedule state = hourly(3 * kHourUs);
  const TimeUs late = 5 * kHourUs + 2 * kMinuteUs;
  EXPECT_FALSE(settled(state, Missed::once, false, late)->too_late);
  EXPECT_TRUE(settled(state, Missed::skip, false, late)->too_late);
  EXPECT_FALSE(settled(state, Missed::skip, false, 5 * kHourUs)->too_late);
  EXPECT_EQ(settled(state, Missed::skip, false, late)->missed, 2U);
}

TEST(DueCommand, EachThatWasMissedWaitsForTheEndOfTheOneBefore) {
  const Schedule state = hourly(3 * kHourUs);
  const TimeUs late = 5 * kHourUs + 2 * kMinuteUs;
  EXPECT_FALSE(settled(state, Missed::all, true, late));
  const auto first = settled(state, Missed::all, false, late);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->due, 3 * kHourUs);
  EXPECT_EQ(first->next, 4 * kHourUs);
}

TEST(DueCommand, ADueTimeThatWaitsIsTakenUpFirst) {
  Schedule state = hourly(3 * kHourUs);
  state.waiting_us = 2 * kHourUs;
  const DuePolicy policy;
  const auto command = due_command(state, every_hour(), policy, false, 3 * kHourUs);
  ASSERT_TRUE(command);
  EXPECT_TRUE(std::holds_alternative<TakeUpDue>(*command));
  EXPECT_TRUE(settled(state, Missed::once, true, 3 * kHourUs)) << "it goes on waiting";
}

}  // namespace
}  // namespace luzia
