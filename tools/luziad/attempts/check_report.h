// What an agent is told when a check of its work has failed.
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/redactor.h"
#include "engine/ports/issue_matcher.h"

namespace luzia {

/// Which check failed and how, what failed first (first_cause.h), the lines of its output that name known
/// problems, and the end of that output: at most 16 KiB of text, without terminal sequences. Reads at most
/// the last 4 MiB that the checks printed into the job's output.log, which must be a regular file of `uid`;
/// of a file that cannot be read the report says so. Blocks; any thread. `matcher` may be null, and so may
/// `redactor`, that of the job's secrets.
std::string check_report(const std::string& job_dir, std::uint32_t uid, const schema::AttemptEndedT& end,
                         const IssueMatcher* matcher, const Redactor* redactor = nullptr);

}  // namespace luzia
