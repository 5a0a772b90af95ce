// When an attempt has reached a limit, how soon to look again, and who is stopped for the machine.
#include "tools/luziad/watching/limit_rules.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

using schema::StopReason;

constexpr std::uint64_t kRuleMib = 1 << 20;

SeenUse seen_use(std::uint64_t resident, std::uint64_t threads) {
  SeenUse seen;
  seen.tree.resident = resident;
  seen.tree.threads = threads;
  for (int i = 0; i < 7; ++i) seen.tree.processes.push_back({100 + i, "p" + std::to_string(i), resident / 8});
  return seen;
}

schema::AttemptLimitsT some_limits(std::uint64_t memory, std::uint32_t processes, std::uint64_t disk = 0) {
  schema::AttemptLimitsT limits;
  limits.memory_bytes = memory;
  limits.processes = processes;
  limits.disk_bytes = disk;
  return limits;
}

TEST(LimitRules, MemoryIsJudgedByWhatIsHeldNotByWhatIsShared) {
  SeenUse seen = seen_use(90 * kRuleMib, 7);
  EXPECT_FALSE(stop_of(some_limits(64 * kRuleMib, 0), seen))
      << "most of it is shared: over_memory is not set";
  seen.over_memory = true;
  const auto stop = stop_of(some_limits(64 * kRuleMib, 0), seen);
  ASSERT_TRUE(stop);
  EXPECT_EQ(stop->reason, StopReason::memory_limit);
  EXPECT_EQ(stop->used, 90 * kRuleMib);
  ASSERT_EQ(stop->largest.size(), 5u);
  EXPECT_EQ(stop->largest.front().pid, 100u);
  EXPECT_EQ(stop->largest.front().name, "p0");
}

TEST(LimitRules, AsManyProcessesAsAllowedAreAllowed) {
  EXPECT_FALSE(stop_of(some_limits(0, 20), seen_use(kRuleMib, 20)));
  const auto stop = stop_of(some_limits(0, 20), seen_use(kRuleMib, 21));
  ASSERT_TRUE(stop);
  EXPECT_EQ(stop->reason, StopReason::process_limit);
  EXPECT_EQ(stop->used, 21u);
  EXPECT_FALSE(stop_of(some_limits(0, 0), seen_use(kRuleMib, 30'000))) << "no limit";
}

TEST(LimitRules, ProcessThatTheKernelRefusedCounts) {
  SeenUse seen = seen_use(kRuleMib, 20);
  seen.refused_process = true;
  ASSERT_TRUE(stop_of(some_limits(0, 20), seen));
}

TEST(LimitRules, DiskIsLimitedApart) {
  EXPECT_FALSE(stop_of(some_limits(0, 0, kRuleMib), kRuleMib));
  ASSERT_TRUE(stop_of(some_limits(0, 0, kRuleMib), kRuleMib + 1));
  EXPECT_EQ(stop_of(some_limits(0, 0, kRuleMib), kRuleMib + 1)->reason, StopReason::disk_limit);
  EXPECT_FALSE(stop_of(some_limits(0, 0), ~0ULL));
}

TEST(LimitRules, NamesThatProcessesChooseAreValidText) {
  TreeUse tree;
  tree.processes.push_back({7, "\xff\xfe", 1});
  EXPECT_EQ(largest_of(tree).front().name, "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(LimitRules, WhatIsNearALimitIsLookedAtMoreOften) {
  const TimeUs quick = kMillisecondUs;
  EXPECT_EQ(pause_between_looks(0.1, 0.1, kSecondUs, quick), kSecondUs);
  EXPECT_EQ(pause_between_looks(0.6, 0.6, kSecondUs, quick), kSecondUs / 10);
}

TEST(LimitRules, WhatGrowsFastIsLookedAtMoreOften) {
  EXPECT_EQ(pause_between_looks(0.45, 0.1, kSecondUs, kMillisecondUs), kSecondUs / 10);
  EXPECT_EQ(pause_between_looks(0.45, 0.45, kSecondUs, kMillisecondUs), kSecondUs);
}

TEST(LimitRules, LookingNeverTakesOverATwentiethOfACore) {
  for (const TimeUs took : {kMillisecondUs, 20 * kMillisecondUs, kSecondUs}) {
    EXPECT_GE(pause_between_looks(1, 0, kSecondUs, took), 20 * took);
  }
}

TEST(MemoryGrowth, IsThatOfTheLastTenSeconds) {
  MemoryGrowth growth;
  EXPECT_EQ(growth.grown(), 0u);
  growth.add(100 * kSecondUs, 10 * kRuleMib);
  growth.add(105 * kSecondUs, 50 * kRuleMib);
  EXPECT_EQ(growth.grown(), 40 * kRuleMib);
  growth.add(114 * kSecondUs, 60 * kRuleMib);
  EXPECT_EQ(growth.grown(), 10 * kRuleMib) << "since 105 s";
  growth.add(115 * kSecondUs, 5 * kRuleMib);
  EXPECT_EQ(growth.grown(), 0u) << "it has shrunk";
  EXPECT_EQ(growth.resident(), 5 * kRuleMib);
}

TEST(GrownMost, IsStoppedIfItsEndHelps) {
  MemoryGrowth steady, grows, small;
  steady.add(1 * kSecondUs, 900 * kRuleMib);
  steady.add(2 * kSecondUs, 900 * kRuleMib);
  grows.add(1 * kSecondUs, 100 * kRuleMib);
  grows.add(2 * kSecondUs, 400 * kRuleMib);
  small.add(1 * kSecondUs, 1 * kRuleMib);
  small.add(2 * kSecondUs, 9 * kRuleMib);
  EXPECT_EQ(grown_most({&steady, &grows, &small}, 512 * kRuleMib), 1u);
  EXPECT_EQ(grown_most({&steady, &small}, 512 * kRuleMib), 0u)
      << "none that would help has grown: the largest";
  EXPECT_EQ(grown_most({&small}, 512 * kRuleMib), std::nullopt);
  EXPECT_EQ(grown_most({}, 512 * kRuleMib), std::nullopt);
}

}  // namespace
}  // namespace luzia
