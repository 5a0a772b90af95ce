// Three machines of a fleet with a primary and its synchronous standby, while a seed decides what is killed,
// cut off or promoted, and what is ordered, and when. One thread.
//
// Root's has a network namespace for each of the five, and cuts and slows the links between them. Else the
// machines reach each server by a relay, which can also end a connection at any byte, or on one side.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/e2e/fleet/database_relay.h"
#include "tests/e2e/fleet/fleet_machine.h"
#include "tests/e2e/fleet/network_spaces.h"
#include "tests/postgres_server.h"
#include "tests/simulation/dice.h"

namespace luzia::test {

class FleetLife {
 public:
  /// `is_long`: also does what luzia-fleet notices after a minute only.
  FleetLife(std::uint64_t seed, bool is_long, bool may_have_spaces = true);

  /// Returns the rule that was broken, or an empty string: each job ran once, each order made one job in the
  /// whole fleet, which ran once, each site's groups are those of its log, and its rows those of an export.
  std::string run(int steps);
  const std::vector<std::string>& story() const { return story_; }

  struct Counts {
    std::uint64_t steps = 0, jobs = 0, orders = 0, kills = 0, breaks = 0, promotions = 0;
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
  void order();
  void break_relay();
  void break_link();
  std::string check();
  std::string broken_order();
  struct Order {
    std::string id, to;
    Finished placed = {};
  };
  /// At a machine whose people order, and again with the same id as often as one likes.
  void place(std::size_t machine, Order& order, const std::string& patience);
  std::size_t any_machine() { return dice_.below(machines_.size()); }
  /// Does it in the network namespace of a server, or of the machine after them.
  void within(std::size_t space, const std::function<void()>& act) const;
  void at_machine(std::size_t machine, const std::function<void(FleetMachine&)>& act) const {
    within(servers_.size() + machine, [&] { act(*machines_[machine]); });
  }
  bool has_standby() const { return in_charge_ == 0; }
  void tell(const std::string& what) { story_.push_back(what); }

  Dice dice_;
  bool is_long_;
  std::unique_ptr<NetworkSpaces> spaces_;                   // of the servers, then of the machines
  std::array<std::unique_ptr<PostgresServer>, 2> servers_;  // the primary, and its standby
  std::array<std::unique_ptr<DatabaseRelay>, 2> relays_;    // the network to each, without spaces_
  std::size_t in_charge_ = 0;                               // the server that accepts writes
  std::vector<std::unique_ptr<FleetMachine>> machines_;
  std::vector<Order> orders_;
  Counts counts_;
  std::vector<std::string> story_;
};

}  // namespace luzia::test
