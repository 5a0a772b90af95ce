// Runs some seeds of a fleet; tools/dev/campaign simulation runs as many as time allows.
#include "tests/simulation/fleet/fleet_simulation.h"

#include <gtest/gtest.h>

namespace luzia::test {
namespace {

std::string told_by(const FleetSimulation& simulation) {
  std::string text;
  for (const std::string& line : simulation.story()) text += line + '\n';
  return text;
}

TEST(FleetSimulation, KeepsEveryRuleAndReachesItsRareCases) {
  constexpr std::uint64_t kSeeds = 120;
  FleetSimulation::Counts all;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    FleetSimulation simulation(seed);
    const std::string broken = simulation.run();
    ASSERT_EQ(broken, "") << "seed " << seed << '\n' << told_by(simulation);
    all += simulation.counts();
  }
  EXPECT_GT(all.done, 500U);
  EXPECT_GT(all.refused, 100U);
  EXPECT_GT(all.expired, 50U);
  EXPECT_GT(all.fenced, 20U);
  EXPECT_GT(all.promotions, 50U);
  EXPECT_GT(all.kills, 100U);
  EXPECT_GT(all.days_cut_off, 10U);
  EXPECT_GT(all.restored, 10U);
  EXPECT_GT(all.same_names, 10U);
}

TEST(FleetSimulation, SameSeedGivesTheSameSteps) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    FleetSimulation first(seed), second(seed);
    EXPECT_EQ(first.run(), second.run());
    EXPECT_EQ(first.story(), second.story());
  }
}

/// A simulation that notices no planted fault would prove nothing.
class PlantedFault : public testing::TestWithParam<std::pair<FleetFault, const char*>> {};

TEST_P(PlantedFault, IsNoticed) {
  constexpr std::uint64_t kSeeds = 60;
  const auto& [fault, words] = GetParam();
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    FleetSimulation simulation(seed, fault);
    if (simulation.run().find(words) != std::string::npos) return;
  }
  FAIL() << "no seed below " << kSeeds << " broke the rule";
}
INSTANTIATE_TEST_SUITE_P(Each, PlantedFault,
                         testing::Values(std::pair(FleetFault::any_fence_accepted, "was done twice"),
                                         std::pair(FleetFault::claims_never_end, "is lost"),
                                         std::pair(FleetFault::acknowledged_is_lost, "lost")));

}  // namespace
}  // namespace luzia::test
