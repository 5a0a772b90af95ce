// The rules of alerts as tables: at this second a value is read, and this is reported.
#include "engine/alert/alert.h"

#include "tests/matchers.h"

namespace luzia {
namespace {

AlertLimits memory_limits(TimeUs dwell = 10 * kSecondUs) {
  AlertLimits limits;
  limits.memory_warning_percent = 80;
  limits.memory_critical_percent = 95;
  limits.dwell = dwell;
  return limits;
}

std::string word(const schema::AlertFactUnion& fact) {
  if (const auto* raised = fact.AsAlertRaised()) {
    return raised->alert + " " + schema::EnumNameSeverity(raised->severity);
  }
  return fact.AsAlertEnded()->alert + " over";
}

std::vector<std::string> words(const std::vector<schema::AlertFactUnion>& facts) {
  std::vector<std::string> list;
  for (const auto& fact : facts) list.push_back(word(fact));
  return list;
}

struct Moment {
  int second;
  double used;
  const char* told;  // "" for nothing
};

/// Feeds each moment's value and compares the report.
void expect_story(const std::vector<Moment>& story, const AlertLimits& limits, AlertWatch watch = {}) {
  for (const Moment& moment : story) {
    const auto told =
        words(watch.read({.memory_used_percent = moment.used}, limits, (1000 + moment.second) * kSecondUs));
    SCOPED_TRACE(std::to_string(moment.second) + "s " + std::to_string(moment.used));
    if (moment.told[0] == '\0') {
      EXPECT_THAT(told, IsEmpty());
    } else {
      EXPECT_THAT(told, ElementsAre(moment.told));
    }
  }
}

TEST(Alert, BeginsAfterTheDwellBeyondTheLimit) {
  expect_story({{0, 81, ""}, {5, 85, ""}, {10, 81, "memory warning"}}, memory_limits());
}

TEST(Alert, ShortPeakRaisesNone) {
  expect_story({{0, 90, ""}, {5, 79, ""}, {10, 90, ""}, {15, 90, ""}, {20, 90, "memory warning"}},
               memory_limits());
}

TEST(Alert, ExactlyAtItsLimitIsNotBeyond) {
  expect_story({{0, 80, ""}, {100, 80, ""}}, memory_limits());
}

TEST(Alert, IsNotRepeatedWhileItIsOpen) {
  expect_story({{0, 85, "memory warning"}, {5, 85, ""}, {500, 94, ""}}, memory_limits(0));
}

TEST(Alert, EndsATenthWithinItsLimit) {
  expect_story(
      {{0, 85, "memory warning"}, {5, 79, ""}, {10, 72.5, ""}, {15, 71.9, "memory over"}, {20, 75, ""}},
      memory_limits(0));
}

TEST(Alert, BeginsAgainAfterAnotherDwell) {
  expect_story({{0, 85, ""},
                {10, 85, "memory warning"},
                {15, 10, "memory over"},
                {20, 85, ""},
                {25, 85, ""},
                {30, 85, "memory warning"}},
               memory_limits());
}

TEST(Alert, BecomesCriticalAfterTheDwellBeyondTheCriticalLimit) {
  expect_story(
      {{0, 85, ""}, {10, 85, "memory warning"}, {15, 96, ""}, {25, 96, "memory critical"}, {30, 97, ""}},
      memory_limits());
}

TEST(Alert, StartsAsAWarningIfOnlyThatLimitWasLasting) {
  expect_story({{0, 85, ""}, {5, 96, ""}, {10, 96, "memory warning"}, {15, 96, "memory critical"}},
               memory_limits());
  expect_story({{0, 96, ""}, {10, 96, "memory critical"}}, memory_limits());
}

TEST(Alert, BecomesAWarningATenthWithinTheCriticalLimit) {
  expect_story({{0, 96, "memory critical"},
                {5, 90, ""},
                {10, 85, "memory warning"},
                {15, 84, ""},
                {20, 50, "memory over"}},
               memory_limits(0));
}

TEST(Alert, ExistingAlertFollowsTheFirstReading) {
  AlertWatch open;
  open.load("memory", schema::Severity::warning);
  expect_story({{0, 85, ""}, {5, 40, "memory over"}}, memory_limits(), open);
  expect_story({{0, 40, "memory over"}}, memory_limits(), open);
}

TEST(Alert, UnknownConditionEnds) {
  AlertWatch open;
  open.load("of_a_later_program", schema::Severity::critical);
  expect_story({{0, 10, "of_a_later_program over"}, {5, 10, ""}}, memory_limits(), open);
}

TEST(Alert, EndsWithoutALimitOrMeasurement) {
  AlertWatch watch;
  watch.load("memory", schema::Severity::warning);
  watch.load("load", schema::Severity::warning);
  EXPECT_THAT(words(watch.read({.memory_used_percent = 99}, {}, kSecondUs)),
              ElementsAre("memory over", "load over"));
  EXPECT_FALSE(watch.any_open());
}

TEST(Alert, NamesValueLimitAndFix) {
  AlertWatch watch;
  const auto facts = watch.read({.memory_used_percent = 85.25}, memory_limits(0), kSecondUs);
  ASSERT_EQ(facts.size(), 1u);
  const auto& raised = *facts[0].AsAlertRaised();
  EXPECT_EQ(raised.message, "85.2 % of the memory is used, over 80 %");
  EXPECT_EQ(raised.alert_type, "RESOURCE_WARNING");
  EXPECT_EQ(raised.value, 85.25);
  EXPECT_EQ(raised.threshold, 80);
  EXPECT_THAT(raised.recommendation, testing::HasSubstr("luzia pause"));
}

TEST(Alert, DiskAlertUsesTheStricterOfTwoLimits) {
  AlertLimits limits;
  limits.disk_used_percent = 90;
  limits.disk_free_mib = 1024;
  const auto told = [&](double free, double all) {
    AlertWatch watch;
    return words(watch.read({.disk_free_mib = free, .disk_mib = all}, limits, kSecondUs));
  };
  EXPECT_THAT(told(1100, 4096), IsEmpty());
  EXPECT_THAT(told(1000, 4096), ElementsAre("disk warning"));
  EXPECT_THAT(told(255, 4096), ElementsAre("disk critical"));
  EXPECT_THAT(told(9'000, 100'000), ElementsAre("disk warning"));
  EXPECT_THAT(told(11'000, 100'000), IsEmpty());
}

TEST(Alert, DiskAlertEndsATenthAboveItsLimit) {
  AlertLimits limits;
  limits.disk_free_mib = 1000;
  AlertWatch watch;
  const auto told = [&](double free) {
    return words(watch.read({.disk_free_mib = free, .disk_mib = 1}, limits, kSecondUs));
  };
  EXPECT_THAT(told(900), ElementsAre("disk warning"));
  EXPECT_THAT(told(1100), IsEmpty());
  EXPECT_THAT(told(1120), ElementsAre("disk over"));
}

TEST(Alert, LoadAndPressureHaveNoCriticalLimit) {
  AlertLimits limits;
  limits.load_per_core = 4;
  limits.memory_pressure_percent = 20;
  AlertWatch watch;
  EXPECT_THAT(words(watch.read({.memory_pressure_percent = 99, .load_per_core = 99}, limits, kSecondUs)),
              ElementsAre("memory_pressure warning", "load warning"));
}

}  // namespace
}  // namespace luzia
