// The long form of the campaign. Runs seeds from FIRST on for SECONDS. Stops at the first broken rule, prints
// what happened and keeps the store. Usage: lose_power FIRST SECONDS [COUNT] (COUNT: maximum number of power
// losses)
#include <chrono>
#include <cstdlib>
#include <iostream>

#include "tests/crash/power_loss.h"
#include "tests/engine/log/temp_store.h"

int main(int argc, char** argv) {
  using luzia::test::PowerLoss;
  if (argc < 3) {
    std::cerr << "usage: lose_power FIRST SECONDS [COUNT]\n";
    return 2;
  }
  const std::uint64_t first = std::strtoull(argv[1], nullptr, 10);
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(std::strtoll(argv[2], nullptr, 10));
  const std::uint64_t most = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : ~std::uint64_t{0};
  const luzia::test::Histories histories;
  const luzia::test::TempStore place;
  PowerLoss::Counts all;
  std::uint64_t seed = first;
  for (; all.losses < most && std::chrono::steady_clock::now() < end; ++seed) {
    PowerLoss run(histories, seed, place.beside("run"));
    const std::string broken = run.run();
    all += run.counts();
    if (broken.empty()) continue;
    for (const std::string& line : run.story()) std::cout << line << '\n';
    const std::string kept = std::filesystem::temp_directory_path() / ("luzia-seed-" + std::to_string(seed));
    luzia::test::copy_store(place.beside("run"), kept);
    std::cout << "seed " << seed << ": " << broken << "\nthe store as found: " << kept << '\n';
    return 1;
  }
  std::cout << seed - first << " seeds from " << first << ", " << all.losses << " losses of power ("
            << all.while_opening << " while opening), " << all.acknowledged_groups << " acknowledged groups, "
            << all.in_flight_kept << " in flight and kept, " << all.flushes << " flushes, "
            << all.rebuilt_views << " times views anew: no rule broken\n";
  return 0;
}
