// Signs that a newer log was replaced by an older one: another part of the store has seen more of the log
// than it has, or has seen a different one. What happened in between is lost, and jobs may run a second time,
// so a person has to accept it.
//
// Rejected: rebuilding the rows silently, as after losing them. A log that somebody rolled back would look as
// if nothing had happened.
#pragma once

#include <optional>
#include <string>

#include "engine/log/event_log.h"
#include "engine/view/view_store.h"

namespace luzia {

struct RollbackSign {
  std::string what;           // "views", "notified": its name in the store
  Position seen = 0;          // last position that it has seen
  Position log_end = 0;       // last position of the log
  std::string words() const;  // for people: "views has seen position 40, and the log ends at 12"
};

/// Checks the rows: their cursor is not a position of this log. Missing or empty rows are no sign.
Result<std::optional<RollbackSign>> rollback_in_rows(const EventLog& log, const ViewCursor& rows);

/// STORE/rollback keeps a person's acceptance until the log records it. The signs disappear when the rows are
/// cleared, so a daemon that is killed before it records the acceptance leaves this file to the next one.
Status keep_accepted(const std::string& store, const RollbackSign& sign);
std::optional<RollbackSign> kept_accepted(const std::string& store);
void forget_accepted(const std::string& store);
/// Whether the log says so already: a daemon was killed between the record and the removal of STORE/rollback.
Result<bool> is_recorded(const EventLog& log, const RollbackSign& accepted);

/// Error `log_rolled_back` (trouble), with how to accept it.
Error log_rolled_back(const std::string& store, const RollbackSign& sign);

}  // namespace luzia
