// Runs some seeds of a fleet; tools/dev/campaign simulation runs as many as time allows.
#include "tests/simulation/fleet/fleet_simulation.h"

#include <gtest/gtest.h>

#include "tests/order_contract.h"

namespace luzia::test {
namespace {

std::string told_by(const FleetSimulation& simulation) {
  std::string text;
  for (const std::string& line : simulation.story()) text += line + '\n';
  return text;
}

TEST(FleetSimulation, KeepsEveryRuleAndReachesItsRareCases) {
  constexpr std::uint64_t kSeeds = 80;
  FleetSimulation::Counts all;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    FleetSimulation simulation(seed);
    const std::string broken = simulation.run();
    ASSERT_EQ(broken, "") << "seed " << seed << '\n' << told_by(simulation);
    all += simulation.counts();
  }
  EXPECT_GT(all.done, 100U);
  EXPECT_GT(all.refused, 10U);
  EXPECT_GT(all.expired, 10U);
  EXPECT_GT(all.fenced, 5U);
  EXPECT_GT(all.kills, 50U);
  EXPECT_GT(all.promotions, 10U);
  EXPECT_GT(all.days_cut_off, 3U);
  EXPECT_GT(all.restored, 3U);
  EXPECT_GT(all.same_names, 3U);
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

class MemoryUnderTest : public OrdersUnderTest {
 public:
  OrderDatabase& machine(const std::string& site) override {
    auto& machine = machines_[site];
    if (machine == nullptr) machine = std::make_unique<MemoryOrders>(fleet_, site);
    return *machine;
  }
  std::string place(const std::string& id, const std::string& to, const std::string& kind,
                    const std::string& about, int seconds) override {
    return state_of(fleet_.place(id, to, kind, "demo", about, "bytes", seconds));
  }
  std::string look(const std::string& id) override { return state_of(fleet_.look(id)); }
  std::string withdraw(const std::string& id) override { return state_of(fleet_.withdraw(id)); }
  void add_job(const std::string& job, const std::string& site) override {
    fleet_.set_job(job, {site, "demo"});
  }
  void pass(int seconds) override { fleet_.now += seconds * kSecondUs; }

 private:
  static std::string state_of(const Result<FleetOrder>& order) {
    return order ? order->state : order.error().code;
  }
  MemoryFleet fleet_;
  std::map<std::string, std::unique_ptr<OrderDatabase>> machines_;
};

TEST(MemoryFleet, HasTheTransitionsOfPostgres) {
  MemoryUnderTest orders;
  EXPECT_EQ(OrderContract(orders).run(kOrderTransitions), "");
}

}  // namespace
}  // namespace luzia::test
