// The scenarios' command about the output of an attempt, and what its agent says in it.
#pragma once

#include "engine/job/job.h"
#include "tests/scenarios/step.h"

namespace luzia {

/// Parses: output JOB [from=N] to=N [lines=N] and the keys of findings, see output_commands.cc.
RecordOutput output_command(const Step& step, const JobState* job);

}  // namespace luzia
