// Telling a write that the loss of power tore from damage to what was acknowledged. RocksDB calls both
// corrupt: a group larger than a sector, in flight when the power went, may be on the disk in parts. Nothing
// was ever written behind such a group, since the next one is written only after its fsync.
#pragma once

#include <rocksdb/env.h>

#include <string>

#include "engine/log/group.h"

namespace luzia {

/// Whether the write-ahead logs in the folder `log` show a group that begins behind the one that would follow
/// `end`: then a damaged group at the end was followed by others, and is no torn last write. Files are looked
/// through as raw bytes; a header that RocksDB's framing cuts in two is not seen. Also true when a file
/// cannot be read.
bool groups_behind(rocksdb::Env& env, const std::string& log, const Tip& end);

/// The first positions of the groups that the bytes of a write-ahead log show; the greatest, or 0.
Position greatest_group_in(std::string_view bytes);

}  // namespace luzia
