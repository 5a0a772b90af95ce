#include "tools/luzia-fleet/fleet_status.h"

#include "engine/base/store_file.h"
#include "projections/rows/json_object.h"

namespace luzia {

std::string fleet_status_json(const FleetStatus& status) {
  const MirrorState& mirror = status.mirror;
  JsonObject object;
  object.text("site", status.site);
  object.text("url_shown", status.url_shown);
  object.number("position", mirror.position);
  object.number("rows_position", mirror.rows_position);
  object.text("chain", to_hex(mirror.chain));
  object.number("behind_events", mirror.tip > mirror.position ? mirror.tip - mirror.position : 0);
  object.time("at", status.at);
  object.boolean("connected", mirror.connected);
  write_order_report(object, status.orders);
  if (!status.error) {
    object.at("error").null();
    return object.take();
  }
  object.begin("error");
  object.text("code", status.error->code);
  object.text("message", status.error->message);
  object.text("hint", status.error->hint);
  object.end();
  return object.take();
}

Status write_fleet_status(const std::string& store, const FleetStatus& status) {
  return write_store_file(store + "/fleet.status", fleet_status_json(status) + "\n");
}

}  // namespace luzia
