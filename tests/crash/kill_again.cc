// The long form of the campaign. Runs seeds from FIRST on for SECONDS, each with a new store and 25 kills.
// Stops at the first broken rule, prints what happened and keeps the store. Usage: kill_again FIRST SECONDS
// [COUNT] (COUNT: number of kills)
#include <iostream>

#include "tests/campaign.h"
#include "tests/crash/kills.h"
#include "tests/engine/log/temp_store.h"

int main(int argc, char** argv) {
  using luzia::test::Kills;
  const luzia::test::Campaign campaign(argc, argv);
  const std::uint64_t first = campaign.first;
  const luzia::test::TempStore place;
  Kills::Counts all;
  std::uint64_t seed = first;
  for (; campaign.goes_on(all.kills); ++seed) {
    Kills kills(seed, LUZIA_SERVE_UNTIL_KILLED, place.path());
    const std::string broken = kills.run(25);
    all += kills.counts();
    if (broken.empty()) continue;
    luzia::test::tell_broken(seed, kills.story(), broken);
    const std::string kept = std::filesystem::temp_directory_path() / ("luzia-seed-" + std::to_string(seed));
    luzia::test::copy_store(place.path(), kept);
    std::cout << "the store as found: " << kept << '\n';
    return 1;
  }
  std::cout << seed - first << " seeds from " << first << ", " << all.kills << " kills (" << all.at_operations
            << " during disk operations, " << all.at_failpoints << " at failpoints, " << all.from_outside
            << " from outside), " << all.acknowledged << " answers, " << all.unheard
            << " commands durable and unheard: no rule broken\n";
  return 0;
}
