// Signs that an older log was put in the place of a newer one: something else in the store has seen more of
// the log than there is, or has seen another one. What happened in between is gone, and jobs may run a second
// time, so that a person has to accept it. Rejected: rebuilding the rows without a word, as after their loss,
// which made a log that somebody had rolled back look as if nothing had happened.
#pragma once

#include <optional>
#include <string>

#include "engine/log/event_log.h"
#include "engine/view/view_store.h"

namespace luzia {

struct RollbackSign {
  std::string what;           // "views", "notified": its name in the store
  Position seen = 0;          // how far it had come
  Position log_end = 0;       // how far the log goes
  std::string words() const;  // for people: "views has seen position 40, and the log ends at 12"
};

/// By the rows: their cursor is no place of this log. Rows that are gone, or begin anew, tell nothing.
Result<std::optional<RollbackSign>> rollback_in_rows(const EventLog& log, const ViewCursor& rows);

/// That a person has accepted it stands in STORE/rollback until the log says so: the signs go as soon as the
/// rows begin anew, and a daemon that is killed before it has recorded the acceptance leaves it to the next
/// one.
Status keep_accepted(const std::string& store, const RollbackSign& sign);
std::optional<RollbackSign> kept_accepted(const std::string& store);
void forget_accepted(const std::string& store);
/// Whether the log says so already: a daemon was killed between the record and the removal of STORE/rollback.
Result<bool> is_recorded(const EventLog& log, const RollbackSign& accepted);

/// `log_rolled_back` (trouble), with how to accept it.
Error log_rolled_back(const std::string& store, const RollbackSign& sign);

}  // namespace luzia
