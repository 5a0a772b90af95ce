// What a queued job would be started with, before anything is decided: for --dry-run, and to refuse at once
// what the system would refuse at the start. Loop thread.
#pragma once

#include <string>

#include "adapters/config/config.h"
#include "engine/job/job.h"

namespace luzia {

/// The command line and the names of the environment, the limits that hold for the job, and what the order
/// says, as one JSON object. "JOB" stands for the id that it would get. Errors as fill_placeholders().
Result<std::string> preview_json(const QueueJob& job, const Config& config);

/// `no_program` (refused): the agent's program is not there for the job's user. Names the agents that are.
Status check_installed(const QueueJob& job, const Config& config);

/// `task_too_long`, `environment_too_long` (usage): Linux does not start a program with an argument or a
/// variable of more than 128 KiB, nor with so many. Only looks closely at what is long.
Status check_start_size(const QueueJob& job);

}  // namespace luzia
