// Reading a long stretch of the log ahead of who takes it: RocksDB's decompression and the check of each
// event go on beside folding, hashing or printing.
#pragma once

#include <memory>

#include "engine/log/event_log.h"

namespace luzia {

/// Fewer events than these are read by the caller itself: starting threads would cost more.
inline constexpr Position kWorthReadingAhead = 16'384;

/// A cursor over the group that contains `first` and those after it, as EventLog::read_from() gives them,
/// down to the one that contains `until` (or the log's present end, if that is sooner), and perhaps further.
/// Threads of its own read ahead a few MiB; its destructor waits for the groups that they are at. Outlived by
/// `log`.
std::unique_ptr<GroupCursor> read_ahead(const EventLog& log, Position first, Position until);

}  // namespace luzia
