// The long form of a campaign: seeds from FIRST on for SECONDS, at most COUNT of what the campaign counts.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace luzia::test {

struct Campaign {
  std::uint64_t first = 0, most = ~std::uint64_t{0};
  std::chrono::steady_clock::time_point end;

  /// Ends the program if the arguments are not FIRST SECONDS [COUNT].
  Campaign(int argc, char** argv) {
    if (argc < 3) {
      std::cerr << "usage: " << argv[0] << " FIRST SECONDS [COUNT]\n";
      std::exit(2);
    }
    first = std::strtoull(argv[1], nullptr, 10);
    end = std::chrono::steady_clock::now() + std::chrono::seconds(std::strtoll(argv[2], nullptr, 10));
    if (argc > 3) most = std::strtoull(argv[3], nullptr, 10);
  }
  bool goes_on(std::uint64_t done) const { return done < most && std::chrono::steady_clock::now() < end; }
};

/// Prints what happened before `broken`, the rule that did not hold.
inline void tell_broken(std::uint64_t seed, const std::vector<std::string>& story,
                        const std::string& broken) {
  for (const std::string& line : story) std::cout << line << '\n';
  std::cout << "seed " << seed << ": " << broken << '\n';
}

}  // namespace luzia::test
