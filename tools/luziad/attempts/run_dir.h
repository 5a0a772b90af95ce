// STORE/run, the folder of claims and exit records. Any thread.
#pragma once

#include <string>

#include "engine/base/result.h"

namespace luzia {

/// Creates it with mode 0700 and returns its path. Errors: `store_unwritable`, `store_permissions`.
Result<std::string> prepare_run_dir(const std::string& store);

}  // namespace luzia
