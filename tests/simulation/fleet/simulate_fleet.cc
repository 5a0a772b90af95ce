// The long form of the fleet's simulation. Usage: simulate_fleet FIRST SECONDS [COUNT], as simulate.
#include <iostream>

#include "tests/campaign.h"
#include "tests/simulation/fleet/fleet_simulation.h"

int main(int argc, char** argv) {
  using luzia::test::FleetSimulation;
  const luzia::test::Campaign campaign(argc, argv);
  FleetSimulation::Counts all;
  std::uint64_t seeds = 0;
  for (; campaign.goes_on(seeds); ++seeds) {
    FleetSimulation simulation(campaign.first + seeds);
    const std::string broken = simulation.run();
    if (!broken.empty()) {
      luzia::test::tell_broken(campaign.first + seeds, simulation.story(), broken);
      return 1;
    }
    all += simulation.counts();
  }
  std::cout << seeds << " seeds from " << campaign.first << ", " << all.steps << " steps, " << all.orders
            << " orders (" << all.done << " done, " << all.refused << " refused, " << all.expired
            << " expired, " << all.fenced << " instead of another job), " << all.groups
            << " mirrored groups, " << all.cuts << " cuts, " << all.kills << " kills, " << all.crashes
            << " crashes, " << all.promotions << " promotions, " << all.days_cut_off << " days cut off, "
            << all.restored << " restored machines, " << all.same_names << " same names: no rule broken\n";
  return 0;
}
