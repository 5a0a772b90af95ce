// What luzia doctor says about [fleet]: whether the log is mirrored, and how far behind that is. Reads a
// file. One thread.
#pragma once

#include <string>
#include <vector>

#include "adapters/config/config.h"
#include "engine/event/event.h"

namespace luzia {

struct FleetFinding {
  bool bad = false;
  std::string what, fix;  // without a fix, all is well
};
/// `tip`: the last position of the log. `program`: luzia-fleet; empty: it is not installed.
FleetFinding fleet_finding(const std::string& store, Position tip, TimeUs now, const std::string& program);
/// What this machine does for the fleet, and what it refused within a day; no finding: it takes no orders.
std::vector<FleetFinding> order_findings(const std::string& store, TimeUs now);

}  // namespace luzia
