// Reads a long part of the log ahead of its consumer: RocksDB decompresses and events are verified on other
// threads while the consumer folds, hashes or prints.
#pragma once

#include <memory>

#include "engine/log/event_log.h"

namespace luzia {

/// Below this number of events the caller should read by itself: starting threads would cost more.
inline constexpr Position kWorthReadingAhead = 16'384;

/// A cursor from the group that contains `first`, as EventLog::read_from() gives it. It ends at the group
/// that contains `until` or at the log's present end, whichever is sooner; it may go further. Its own threads
/// read a few MiB ahead. The destructor waits for the groups that they are reading. `log` must outlive it.
std::unique_ptr<GroupCursor> read_ahead(const EventLog& log, Position first, Position until);

}  // namespace luzia
