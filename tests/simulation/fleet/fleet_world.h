// What the simulated machines of a fleet share: the database, the network to it, and time. One thread at a
// time.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/simulation/dice.h"
#include "tests/simulation/fleet/memory_fleet.h"
#include "tests/simulation/fleet/simulated_site.h"

namespace luzia::test {

class FleetProgram;

struct FleetWorld {
  explicit FleetWorld(std::uint64_t seed) : dice(seed) {}

  Dice dice;
  MemoryFleet fleet;
  TimeUs now = 0;                            // of no clock in particular
  int primary = 0;                           // number of the server that accepts writes
  std::map<std::string, const void*> locks;  // sites that a transaction holds
  /// Calls of killed programs that are still under way.
  std::vector<std::function<void()>> late;
  std::vector<std::string> story;
  std::string broken;

  void tell(const std::string& words) {
    if (!words.empty()) story.push_back(std::to_string(story.size()) + "  " + words);
  }
  void break_rule(const std::string& words) {
    if (broken.empty()) broken = words;
  }
  void pass(TimeUs time) {
    now += time;
    fleet.now += time;
  }
};

/// A machine as the world sees it.
struct FleetMachine {
  std::unique_ptr<SimulatedSite> site;
  bool cut = false;                       // from the database
  bool is_other = false;                  // its log is not the one that has its name in the database
  std::unique_ptr<FleetProgram> program;  // its luzia-fleet; null: it was killed
};

}  // namespace luzia::test
