// Finds a job's program as the user that the job runs as. Reads the file system: loop thread, only where a
// person waits for the answer.
#pragma once

#include <string>
#include <vector>

#include "engine/job/job.h"

namespace luzia {

/// Returns the path of `command`'s program as luzia-run would find it: through PATH in `environment`, or from
/// the attempt's directory. `no_program` (refused): there is none that the job's user can execute. The error
/// is the same if that user may not look there, so that private folders are not revealed.
Result<std::string> find_job_program(const schema::JobSpecT& spec, const std::vector<std::string>& command,
                                     const std::vector<std::string>& environment);

}  // namespace luzia
