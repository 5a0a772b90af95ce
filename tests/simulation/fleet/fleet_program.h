// One life of a simulated luzia-fleet: the Mirror and the OrderTaker of the product, each in a fiber, with
// the network to the database and the socket of the daemon between. Every call may be the last. One thread at
// a time.
#pragma once

#include <memory>
#include <vector>

#include "tests/simulation/fleet/fiber.h"
#include "tests/simulation/fleet/fleet_world.h"

namespace luzia::test {

class FleetProgram {
 public:
  /// `machine` must outlive it.
  FleetProgram(FleetWorld& world, FleetMachine& machine, OrderRules rules);
  /// kill -9: what it has sent may still arrive.
  ~FleetProgram();

  /// Lets a part that can go on do so, up to its next call. False: all wait.
  bool step();
  /// The code of the mirror's last error; empty: none.
  const std::string& mirror_error() const { return mirror_error_; }

 private:
  void mirror(Fiber& fiber);
  void take_orders(Fiber& fiber);
  std::chrono::steady_clock::time_point clock() const;

  FleetWorld& world_;
  FleetMachine& machine_;
  OrderRules rules_;
  bool killed_ = false;
  std::string mirror_error_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
};

}  // namespace luzia::test
