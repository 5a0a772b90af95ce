// Runs a few hundred seeds; tools/dev/campaign simulation runs as many as time allows.
#include "tests/simulation/simulation.h"

#include <gtest/gtest.h>

namespace luzia::test {
namespace {

std::string lines_of(const std::vector<std::string>& story) {
  std::string text;
  for (const std::string& line : story) text += line + '\n';
  return text;
}

class SimulatedSeeds : public testing::TestWithParam<std::uint64_t> {};

TEST_P(SimulatedSeeds, KeepEveryRuleAfterEveryStep) {
  constexpr std::uint64_t kSeedsEach = 40;
  for (std::uint64_t seed = GetParam() * kSeedsEach; seed < (GetParam() + 1) * kSeedsEach; ++seed) {
    Simulation simulation(seed);
    const std::string broken = simulation.run();
    ASSERT_EQ(broken, "") << "seed " << seed << '\n' << lines_of(simulation.story());
  }
}
INSTANTIATE_TEST_SUITE_P(Forties, SimulatedSeeds, testing::Range<std::uint64_t>(0, 10));

TEST(Simulation, SameSeedGivesTheSameSteps) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Simulation first(seed), second(seed);
    EXPECT_EQ(first.run(), second.run());
    EXPECT_EQ(first.story(), second.story());
    EXPECT_EQ(first.tip(), second.tip());
  }
}

TEST(Simulation, ReachesItsRareCases) {
  Simulation::Counts all;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Simulation simulation(seed);
    ASSERT_EQ(simulation.run(), "");
    all += simulation.counts();
  }
  EXPECT_GT(all.jobs, 100U);
  EXPECT_GT(all.attempts, 100U);
  EXPECT_GT(all.acknowledged, 200U);
  EXPECT_GT(all.crashes, 50U);
  EXPECT_GT(all.reboots, 5U);
  EXPECT_GT(all.failed_groups, 5U);
  EXPECT_GT(all.seldom.drains, 0U);
  EXPECT_GT(all.seldom.budgets_used_up, 0U);
  EXPECT_GT(all.seldom.imports, 0U);
  EXPECT_GT(all.seldom.escalations, 0U);
  EXPECT_GT(all.seldom.trials, 0U);
  EXPECT_GT(all.seldom.removed_flows, 0U);
  EXPECT_GT(all.seldom.removed_jobs, 0U);
  EXPECT_GT(all.seldom.erased_texts, 0U);
  EXPECT_GT(all.seldom.expired, 0U);
  EXPECT_GT(all.seldom.limits, 0U);
  EXPECT_GT(all.seldom.logins, 0U);
  EXPECT_GT(all.seldom.reroutes, 0U);
  EXPECT_GT(all.seldom.told_by_prompt, 0U);
  EXPECT_GT(all.seldom.told_by_calls, 0U);
  EXPECT_GT(all.seldom.due_runs, 100U);
  EXPECT_GT(all.seldom.missed_due, 100U);
  EXPECT_GT(all.seldom.waiting_due, 0U);
}

}  // namespace
}  // namespace luzia::test
