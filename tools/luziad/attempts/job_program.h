// Whether a job's program is there for the user that the job runs as. Looks at the file system: loop thread,
// for dry runs alone.
#pragma once

#include <string>
#include <vector>

#include "engine/job/job.h"

namespace luzia {

/// The path of `command`'s program, as luzia-run would find it: by PATH of `environment`, or from the
/// attempt's directory. `no_program` (refused) when there is none that the job's user can execute, or that
/// user cannot look there: what others keep private is not told.
Result<std::string> find_job_program(const schema::JobSpecT& spec, const std::vector<std::string>& command,
                                     const std::vector<std::string>& environment);

}  // namespace luzia
