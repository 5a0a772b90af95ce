// Tells a write that was torn by a power loss from damage to acknowledged data. RocksDB calls both corrupt. A
// group larger than a sector may be on disk in parts if the power failed while it was written. Nothing was
// ever written after such a group, because the next one is written only after its fsync.
#pragma once

#include <rocksdb/env.h>

#include <string>

#include "engine/log/group.h"

namespace luzia {

/// Whether the write-ahead logs in the folder `log` show a group beyond the one that would follow `end`. If
/// so, others followed the damaged group, so it is not a torn last write. Files are searched as raw bytes; a
/// header that RocksDB's framing splits is not found. Also true if a file cannot be read.
bool groups_behind(rocksdb::Env& env, const std::string& log, const Tip& end);

/// The greatest first position of the groups found in the bytes of a write-ahead log; 0: none.
Position greatest_group_in(std::string_view bytes);

}  // namespace luzia
