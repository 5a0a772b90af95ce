// The scenarios' commands about questions and approvals.
#pragma once

#include <optional>

#include "engine/job/job.h"
#include "tests/scenarios/step.h"

namespace luzia {

/// Parses ask ID, answer [ID], cancel_question [ID], gate ID, approve [ID], deny [ID], delivered ID. The
/// third word after the time is the job, the fourth the question or approval. Returns nullopt for another
/// command.
std::optional<JobCommand> input_command(const Step& step);

/// Checks the keys `open` and `rules` of a state.
void expect_inputs(const Step& step, const JobState& job);

}  // namespace luzia
