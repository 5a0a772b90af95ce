// Shows how a queued job would be started, before anything is decided: for --dry-run, and to refuse at once
// what the system would refuse at the start. Loop thread.
#pragma once

#include <string>

#include "adapters/config/config.h"
#include "engine/job/job.h"

namespace luzia {

/// A JSON object with the command line, the names of the environment's variables, the limits in force, and
/// the command's content. "JOB" stands for the future id. Errors: those of fill_placeholders().
Result<std::string> preview_json(const QueueJob& job, const Config& config);

/// `no_program` (refused): the agent's program is not available to the job's user. Names the agents that are.
Status check_installed(const QueueJob& job, const Config& config);

/// `task_too_long`, `environment_too_long` (usage): Linux refuses to start a program with an argument or
/// variable over 128 KiB, or with too many in total. Fast unless something is long.
Status check_start_size(const QueueJob& job);

}  // namespace luzia
