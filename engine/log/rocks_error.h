// A rocksdb::Status as our Error.
#pragma once

#include <rocksdb/status.h>

#include <string>

#include "engine/base/result.h"

namespace luzia {

/// Code `disk_full` when there is no space, `log_corrupt` when a checksum failed, else `code`.
[[nodiscard]] tl::unexpected<Error> rocks_failure(const rocksdb::Status& status, std::string code,
                                                  const std::string& what);

}  // namespace luzia
