// Exit lines of attempts whose luzia-run was killed: the last line of output.log, for those who look for the
// end there. Any thread.
#pragma once

#include <functional>
#include <string>

#include "engine/job/job.h"

namespace luzia {

/// Work for a worker: ends the output of the job's attempt, which is over without a record of its end.
/// Nothing happens where such a line ends it already, or the next attempt has begun.
std::function<void()> exit_line_work(const std::string& run_dir, const JobState& job);

}  // namespace luzia
