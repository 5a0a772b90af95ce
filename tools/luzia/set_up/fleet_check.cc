#include "tools/luzia/set_up/fleet_check.h"

#include "engine/base/counted.h"
#include "tools/read/mirror_report.h"

namespace luzia {

FleetFinding fleet_finding(const std::string& store, Position tip, TimeUs now, const std::string& program) {
  if (program.empty()) {
    return {true, "fleet: [fleet] names a database, but luzia-fleet is not installed with this luzia",
            "build Luzia with LUZIA_FLEET=ON, or install its package"};
  }
  const auto status = read_mirror_report(store);
  if (!status) {
    return {false, "fleet: luzia-fleet has not said anything yet",
            "the daemon keeps it running (luzia daemon start); if it cannot, luziad.log says why"};
  }
  if (auto fault = mirror_fault(*status, tip, now)) {
    return {true, "fleet: " + fault->what,
            fault->fix.empty() ? "luziad.log says more" : std::move(fault->fix)};
  }
  if (!status->connected) {
    return {false, "fleet: luzia-fleet is not connected with " + status->database,
            "it tries again by itself; luziad.log says why it could not"};
  }
  const Position behind = tip > status->position ? tip - status->position : 0;
  return {false,
          "fleet: the log is mirrored as site " + status->site + " to " + status->database +
              ", up to position " + grouped(status->position) +
              (behind == 0 ? std::string() : ", " + counted(behind, "event") + " behind"),
          {}};
}

std::vector<FleetFinding> order_findings(const std::string& store, TimeUs now) {
  const auto status = read_mirror_report(store);
  if (!status || status->orders.kinds.empty()) return {};
  std::vector<FleetFinding> findings = {{false, order_rules_text(status->orders, status->site), {}}};
  if (!status->orders.error.empty()) {
    findings.push_back({false, "fleet: takes no orders at present: " + status->orders.error,
                        "luzia-fleet tries again by itself; luziad.log says more"});
  }
  for (const RefusedOrder& order : status->orders.refused) {
    findings.push_back({false, "fleet: " + refused_order_text(order, now),
                        order.hint.empty() ? "luzia-fleet orders lists it" : order.hint});
  }
  return findings;
}

}  // namespace luzia
