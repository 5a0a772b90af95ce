// status --recent: the last events that are worth showing to a person, as people read them. One thread.
#pragma once

#include "tools/read/session.h"

namespace luzia {

/// Prints the last `count` updates that the filter selects, oldest first. `alerts`: only warnings and errors.
/// Only the last 1,000 updates of all are kept in rows; the log has every event.
Status print_recent_updates(Session& session, std::size_t count, bool alerts);

}  // namespace luzia
