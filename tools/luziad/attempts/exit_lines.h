// Writes exit lines for attempts whose luzia-run was killed: the last line of output.log, for tools that look
// there for the end. Any thread.
#pragma once

#include <functional>
#include <string>

#include "engine/job/job.h"

namespace luzia {

/// Returns work for a worker: it ends the output of the job's attempt, which is over without an exit record.
/// The work does nothing if an exit line already ends the output, or if the next attempt has begun.
std::function<void()> exit_line_work(const std::string& run_dir, const JobState& job);

}  // namespace luzia
