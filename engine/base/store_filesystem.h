// On which file systems a store may be. Any thread.
#pragma once

#include <string>

#include "engine/base/result.h"

namespace luzia {

/// Refuses NFS, CIFS, FUSE and similar (`store_filesystem`): locks, fsync and renames are not reliable there.
/// Checks the nearest existing folder.
Status check_store_filesystem(const std::string& store);

/// Whether statfs's f_type is one of those.
bool is_refused_filesystem(long type);

}  // namespace luzia
