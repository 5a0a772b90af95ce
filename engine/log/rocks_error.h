// Converts a rocksdb::Status to an Error. Any thread.
#pragma once

#include <rocksdb/status.h>

#include <string>

#include "engine/base/result.h"

namespace luzia {

/// Code `disk_full` if no space is left, `log_corrupt` if a checksum failed, else `code`.
[[nodiscard]] tl::unexpected<Error> rocks_failure(const rocksdb::Status& status, std::string code,
                                                  const std::string& what);

}  // namespace luzia
