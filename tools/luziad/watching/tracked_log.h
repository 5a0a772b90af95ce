// The log file of a tracked job. Worker threads open it.
#pragma once

#include "adapters/output_log/log_file.h"
#include "job.fb.h"

namespace luzia {

/// The log at `path`, an absolute path, opened with the rights of the account in `spec`. A daemon of a user
/// opens it with its own rights: all its jobs run as itself.
ForeignLog tracked_log(const std::string& path, const schema::JobSpecT& spec);

}  // namespace luzia
