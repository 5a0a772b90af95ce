// What luzia-fleet says about itself in STORE/fleet.status, and what is wrong with the mirror of this log.
// One thread.
#pragma once

#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/base/time.h"
#include "engine/event/event.h"
#include "tools/read/order_report.h"
#include "tools/read/session.h"

namespace luzia {

struct MirrorReport {
  std::string site, database;  // the database as people are shown it, without a password
  Position position = 0;       // up to which the log is mirrored
  TimeUs at = 0;               // when it said so
  bool connected = false;
  std::optional<Error> fault;
  OrderReport orders;
};

/// nullopt: luzia-fleet has said nothing yet, or the file cannot be read.
std::optional<MirrorReport> read_mirror_report(const std::string& store);

/// What keeps the log from being mirrored up to `tip`, its present end, and what to do about it. nullopt:
/// nothing.
struct MirrorFault {
  std::string what, fix;
};
std::optional<MirrorFault> mirror_fault(const MirrorReport& status, Position tip, TimeUs now);

/// Says so, and which orders were refused, in a line each below a list of the present, if [fleet] names a
/// database. `tip`: the position of the list.
void report_mirror_faults(Session& session, Position tip);

}  // namespace luzia
