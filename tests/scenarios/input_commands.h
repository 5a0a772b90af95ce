// The scenarios' commands about questions, approvals and messages.
#pragma once

#include <optional>

#include "engine/job/job.h"
#include "tests/scenarios/step.h"

namespace luzia {

/// Parses ask ID, answer [ID], cancel_question [ID], gate ID, approve [ID], deny [ID], delivered ID, tell ID,
/// read ID,... The third word after the time is the job, the fourth the question, approval or message.
/// Returns nullopt for another command. `job`: its state now; null: unknown.
std::optional<JobCommand> input_command(const Step& step, const JobState* job);

/// Checks the keys `open`, `fixes`, `told`, `unread`, `unsure` (in the prompt, though perhaps read) and
/// `worked` of a state.
void expect_inputs(const Step& step, const JobState& job);

}  // namespace luzia
