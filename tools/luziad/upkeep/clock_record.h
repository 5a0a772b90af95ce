// STORE/clock: the offset of the wall clock from the monotonic one. The next daemon uses it to detect a step
// that happened while none ran. It is valid within one boot, because the monotonic clock restarts with each.
// It is not synced: after a power loss it belongs to an earlier boot. (Rejected: the offset in the log, which
// every start would have to search from its end.) Loop thread; a few system calls.
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

  /// Wall time minus monotonic time as the log knows it: the stored offset plus the steps recorded in the log
  /// after it. nullopt: nothing was stored in this boot, or it belongs to a longer log (a restored backup).
  std::optional<TimeUs> offset(const EventLog& log) const;
  /// `offset` includes each step up to `position` in the log, and none after it.
  Status write(TimeUs offset, Position position) const;

 private:
  std::string path_, boot_id_;
};

}  // namespace luzia
