// The long form of the campaign. Runs seeds from FIRST on for SECONDS, each with new machines, a new primary
// and standby, and 24 steps. Stops at the first broken rule and prints what happened. Usage: fleet_campaign
// FIRST SECONDS [COUNT] (COUNT: number of steps)
#include <gtest/gtest.h>

#include <iostream>

#include "tests/campaign.h"
#include "tests/e2e/fleet/fleet_life.h"

int main(int argc, char** argv) {
  using luzia::test::FleetLife;
  testing::InitGoogleTest(&argc, argv);
  const luzia::test::Campaign campaign(argc, argv);
  FleetLife::Counts all;
  std::uint64_t seed = campaign.first;
  for (; campaign.goes_on(all.steps); ++seed) {
    // Relays break what links cannot, and links what relays cannot.
    FleetLife life(seed, true, seed % 3 != 0);
    const std::string broken = life.run(24);
    all += life.counts();
    if (broken.empty()) continue;
    luzia::test::tell_broken(seed, life.story(), broken);
    return 1;
  }
  std::cout << seed - campaign.first << " seeds from " << campaign.first << ", " << all.steps
            << " steps with " << all.jobs << " jobs, " << all.orders << " orders, " << all.kills << " kills, "
            << all.breaks << " breaks of the network, " << all.promotions << " promotions: no rule broken\n";
  return 0;
}
