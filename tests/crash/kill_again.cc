// The long form of the campaign. Runs seeds from FIRST on for SECONDS, each with a new store and 25 kills.
// Stops at the first broken rule, prints what happened and keeps the store. Usage: kill_again FIRST SECONDS
// [COUNT] (COUNT: number of kills)
#include <chrono>
#include <cstdlib>
#include <iostream>

#include "tests/crash/kills.h"
#include "tests/engine/log/temp_store.h"

int main(int argc, char** argv) {
  using luzia::test::Kills;
  if (argc < 3) {
    std::cerr << "usage: kill_again FIRST SECONDS [COUNT]\n";
    return 2;
  }
  const std::uint64_t first = std::strtoull(argv[1], nullptr, 10);
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(std::strtoll(argv[2], nullptr, 10));
  const std::uint64_t most = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : ~std::uint64_t{0};
  const luzia::test::TempStore place;
  Kills::Counts all;
  std::uint64_t seed = first;
  for (; all.kills < most && std::chrono::steady_clock::now() < end; ++seed) {
    Kills kills(seed, LUZIA_SERVE_UNTIL_KILLED, place.path());
    const std::string broken = kills.run(25);
    all += kills.counts();
    if (broken.empty()) continue;
    for (const std::string& line : kills.story()) std::cout << line << '\n';
    const std::string kept = std::filesystem::temp_directory_path() / ("luzia-seed-" + std::to_string(seed));
    luzia::test::copy_store(place.path(), kept);
    std::cout << "seed " << seed << ": " << broken << "\nthe store as found: " << kept << '\n';
    return 1;
  }
  std::cout << seed - first << " seeds from " << first << ", " << all.kills << " kills (" << all.at_operations
            << " during disk operations, " << all.at_failpoints << " at failpoints, " << all.from_outside
            << " from outside), " << all.acknowledged << " answers, " << all.unheard
            << " commands durable and unheard: no rule broken\n";
  return 0;
}
