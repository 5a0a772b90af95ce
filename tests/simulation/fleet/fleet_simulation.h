// A whole life of a fleet in one seed: machines with daemons of their own, their luzia-fleet, a database with
// a synchronous standby, operators, and a network that may be cut anywhere at any time. The same seed repeats
// the same steps.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/simulation/fleet/fleet_program.h"

namespace luzia::test {

/// Faults that are planted to see whether the simulation notices.
enum class FleetFault {
  none,
  any_fence_accepted,    // the database accepts a claim that another machine has taken over
  claims_never_end,      // not even those of a killed luzia-fleet
  acknowledged_is_lost,  // the standby that is promoted lacks commits that were acknowledged
};

class FleetSimulation {
 public:
  explicit FleetSimulation(std::uint64_t seed, FleetFault fault = FleetFault::none);

  /// Returns the rule that was broken, or an empty string.
  std::string run();
  /// What happened, one line per step.
  const std::vector<std::string>& story() const { return world_.story; }

  struct Counts {
    std::uint64_t steps = 0, orders = 0, done = 0, refused = 0, expired = 0, fenced = 0, groups = 0, cuts = 0,
                  kills = 0, crashes = 0, promotions = 0, days_cut_off = 0, restored = 0, same_names = 0,
                  rejoined = 0;

    Counts& operator+=(const Counts& other);
  };
  Counts counts() const;

 private:
  struct Placed {
    std::string to, kind, project, about, request;
    std::int64_t seconds = 0;
    bool acknowledged = false;
  };
  void step();
  std::string choose();
  std::string trouble();
  std::string operator_acts();
  std::string order_something(const std::string& id);
  std::string place(const std::string& id);
  std::string time_passes();
  std::string cut_or_join();
  std::string kill_program(FleetMachine& machine);
  std::string crash(FleetMachine& machine);
  std::string promote();
  std::string day_without_network();
  std::string restore();
  std::string take_same_name();
  void rejoin(FleetMachine& machine);
  void start_programs();
  FleetMachine& any_machine() { return machines_[world_.dice.below(machines_.size())]; }

  void calm_down();
  void calm_step();
  bool is_settled() const;
  void check();
  std::string check_end() const;
  std::string check_mirror(const FleetMachine& machine) const;
  std::string check_order(const FleetOrder& order) const;
  std::set<std::string> started(const std::string& order) const;

  FleetWorld world_;
  FleetFault fault_;
  std::vector<FleetMachine> machines_;
  std::map<std::string, Placed> placed_;
  std::set<std::string> gone_;         // names of sites whose log is not there any more
  std::optional<MemoryFleet> behind_;  // acknowledged_is_lost: what the standby has
  Counts counts_;
};

}  // namespace luzia::test
