// Two machines of a fleet with a primary and its synchronous standby, while a seed decides what is killed,
// cut off or promoted, and when. One thread.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/e2e/fleet/database_relay.h"
#include "tests/e2e/fleet/fleet_machine.h"
#include "tests/postgres_server.h"
#include "tests/simulation/dice.h"

namespace luzia::test {

class FleetLife {
 public:
  /// `is_long`: also does what luzia-fleet notices after a minute only.
  FleetLife(std::uint64_t seed, bool is_long);

  /// Returns the rule that was broken, or an empty string: each job ran once, each site's groups are those of
  /// its log, and its rows those of an export.
  std::string run(int steps);
  const std::vector<std::string>& story() const { return story_; }

  struct Counts {
    std::uint64_t steps = 0, jobs = 0, kills = 0, breaks = 0, promotions = 0;
    Counts& operator+=(const Counts& other);
  };
  const Counts& counts() const { return counts_; }

 private:
  void step();
  void kill_something();
  void break_network();
  void promote();
  void lose_standby();
  void rebuild();
  void dispatch();
  std::string check();
  FleetMachine& any_machine() { return *machines_[dice_.below(machines_.size())]; }
  bool has_standby() const { return in_charge_ == 0; }
  void tell(const std::string& what) { story_.push_back(what); }

  Dice dice_;
  bool is_long_;
  std::array<std::unique_ptr<PostgresServer>, 2> servers_;  // the primary, and its standby
  std::array<std::unique_ptr<DatabaseRelay>, 2> relays_;    // the network to each
  std::size_t in_charge_ = 0;                               // the server that accepts writes
  std::vector<std::unique_ptr<FleetMachine>> machines_;
  Counts counts_;
  std::vector<std::string> story_;
};

}  // namespace luzia::test
