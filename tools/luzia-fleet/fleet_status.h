// STORE/fleet.status: how far this machine's log is mirrored, and what is wrong, for `luzia doctor`, `luzia
// status` and `luzia-fleet status`. Nothing depends on it.
#pragma once

#include <optional>
#include <string>

#include "engine/base/result.h"
#include "tools/luzia-fleet/mirror.h"
#include "tools/read/order_report.h"

namespace luzia {

struct FleetStatus {
  std::string site, url_shown;
  MirrorState mirror;
  TimeUs at = 0;
  OrderReport orders = {};
  std::optional<Error> error = {};  // of the last step
};

/// As JSON:
/// {"site","url_shown","position","rows_position","chain","behind_events","at","connected","orders","error"}.
std::string fleet_status_json(const FleetStatus& status);
/// Replaces the file. `store_file_unusable`, `store_unwritable` (trouble).
Status write_fleet_status(const std::string& store, const FleetStatus& status);

}  // namespace luzia
