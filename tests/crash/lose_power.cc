// The long form of the campaign. Runs seeds from FIRST on for SECONDS. Stops at the first broken rule, prints
// what happened and keeps the store. Usage: lose_power FIRST SECONDS [COUNT] (COUNT: maximum number of power
// losses)
#include <iostream>

#include "tests/campaign.h"
#include "tests/crash/power_loss.h"
#include "tests/engine/log/temp_store.h"

int main(int argc, char** argv) {
  using luzia::test::PowerLoss;
  const luzia::test::Campaign campaign(argc, argv);
  const std::uint64_t first = campaign.first;
  const luzia::test::Histories histories;
  const luzia::test::TempStore place;
  PowerLoss::Counts all;
  std::uint64_t seed = first;
  for (; campaign.goes_on(all.losses); ++seed) {
    PowerLoss run(histories, seed, place.beside("run"));
    const std::string broken = run.run();
    all += run.counts();
    if (broken.empty()) continue;
    luzia::test::tell_broken(seed, run.story(), broken);
    const std::string kept = std::filesystem::temp_directory_path() / ("luzia-seed-" + std::to_string(seed));
    luzia::test::copy_store(place.beside("run"), kept);
    std::cout << "the store as found: " << kept << '\n';
    return 1;
  }
  std::cout << seed - first << " seeds from " << first << ", " << all.losses << " losses of power ("
            << all.while_opening << " while opening), " << all.acknowledged_groups << " acknowledged groups, "
            << all.in_flight_kept << " in flight and kept, " << all.flushes << " flushes, "
            << all.rebuilt_views << " times views anew: no rule broken\n";
  return 0;
}
