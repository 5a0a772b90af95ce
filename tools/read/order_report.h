// What luzia-fleet says of orders in STORE/fleet.status: which this machine takes, from whom, and which were
// refused here. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/base/time.h"
#include "projections/rows/json_object.h"
#include "tools/cli/json_text.h"

namespace luzia {

struct RefusedOrder {
  std::string id, kind, project, person;
  TimeUs at = 0;
  std::string message, hint;
  bool operator==(const RefusedOrder&) const = default;
};

struct OrderReport {
  std::vector<std::string> kinds;     // empty: it takes none
  std::vector<std::string> labels;    // beside its site
  std::vector<std::string> people;    // who may place orders, each with its projects
  std::vector<RefusedOrder> refused;  // of one day, the last first
  std::string error;                  // why it takes none at present
  bool operator==(const OrderReport&) const = default;
};

void write_order_report(JsonObject& status, const OrderReport& report);
/// What is missing or odd is empty. Texts have no control characters.
OrderReport read_order_report(const Json& status);

/// "fleet: takes orders to dispatch and cancel, as web1 or gpu, from ana (demo)"; empty: it takes none.
std::string order_rules_text(const OrderReport& report, const std::string& site);
/// "order 12 of ana, to dispatch in demo, was refused 5m ago: MESSAGE"
std::string refused_order_text(const RefusedOrder& order, TimeUs now);

}  // namespace luzia
