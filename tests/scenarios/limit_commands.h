// The scenarios' commands about what an attempt may use.
#pragma once

#include <memory>
#include <optional>

#include "engine/job/job.h"
#include "tests/scenarios/step.h"

namespace luzia {

/// Parses: at_limit JOB [reason=R] [used=N] [free=BYTES] [largest=NAME:PID:BYTES,...]: luziad saw what its
/// processes use. Or: contacts JOB [attempt=N] hosts=HOST:PORT:VERDICT:CONNECTIONS,... [more=N] [over=1]:
/// what its proxy has counted. Returns nullopt for another command.
std::optional<JobCommand> limit_command(const Step& step, const JobState* job);

/// Of a queue command: [memory=BYTES] [cpu=PERCENT] [processes=N] [disk=BYTES]
std::unique_ptr<schema::AttemptLimitsT> limits_of(const Step& step);

/// Of an exit command: [reached=R]
std::unique_ptr<schema::ReachedLimitT> reached_of(const Step& step);

}  // namespace luzia
