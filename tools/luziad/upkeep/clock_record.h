// STORE/clock: how far the wall clock was ahead of the monotonic one, so that a step while no daemon runs is
// seen by the next. Holds within one boot: the monotonic clock begins anew with each. Not synced: what a
// power loss takes is of another boot. (Rejected: the offset in the log, which would have to be looked for
// from its end at every start.) Loop thread; a few system calls.
#pragma once

#include <optional>
#include <string>

#include "engine/base/time.h"
#include "engine/log/event_log.h"

namespace luzia {

class ClockRecord {
 public:
  ClockRecord(const std::string& store, std::string boot_id)
      : path_(store + "/clock"), boot_id_(std::move(boot_id)) {}

  /// Wall time minus monotonic time as the log knows it: what was written, and the steps that are in the log
  /// behind that. nullopt: nothing was written in this boot, or it is of a longer log (a restored backup).
  std::optional<TimeUs> offset(const EventLog& log) const;
  /// `offset` counts each step up to `position` of the log, and none behind it.
  Status write(TimeUs offset, Position position) const;

 private:
  std::string path_, boot_id_;
};

}  // namespace luzia
