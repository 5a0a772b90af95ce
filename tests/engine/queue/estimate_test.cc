#include "engine/queue/estimate.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

using Times = std::vector<std::optional<TimeUs>>;

TEST(EstimatedWait, OfTheFirstEndsWithTheEarliestSlot) {
  EXPECT_EQ(estimate_wait(2, Times{50, 30}, {}), 30);
  EXPECT_EQ(estimate_wait(3, Times{50, 30}, {}), 0);
}

TEST(EstimatedWait, DistributesTheQueueOverTheSlots) {
  // Slots are free at 10 and 30. The jobs of 40 and 5 take them, so the earliest end is 35.
  EXPECT_EQ(estimate_wait(2, Times{10, 30}, Times{40, 5}), 35);
  EXPECT_EQ(estimate_wait(1, Times{10}, Times{20, 30}), 60);
}

TEST(EstimatedWait, IsUnknownWithoutTimesOrSlots) {
  EXPECT_EQ(estimate_wait(1, Times{std::nullopt}, {}), std::nullopt);
  EXPECT_EQ(estimate_wait(1, Times{10}, Times{std::nullopt}), std::nullopt);
  EXPECT_EQ(estimate_wait(0, {}, {}), std::nullopt);
}

TEST(EstimatedWait, OverdueJobsEndNow) {
  EXPECT_EQ(estimate_wait(1, Times{-5}, Times{7}), 7);
}

TEST(EstimatedWait, WithFewerSlotsWaitsForTheLastJob) {
  EXPECT_EQ(estimate_wait(1, Times{10, 20, 30}, {}), 30);
}

}  // namespace
}  // namespace luzia
