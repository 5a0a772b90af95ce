// STORE/run, where claims and exit records lie. Any thread.
#pragma once

#include <string>

#include "engine/base/result.h"

namespace luzia {

/// Makes it, mode 0700, and returns its path. Errors: `store_unwritable`, `store_permissions`.
Result<std::string> prepare_run_dir(const std::string& store);

}  // namespace luzia
