// The budgets of a job in time, tokens and cost, for all of its attempts together. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/job/job.h"

namespace luzia {

/// Time budget left after the attempts that have ended, in milliseconds; nullopt: the job has none.
std::optional<std::uint64_t> time_budget_left_ms(const JobState& state);

/// When the running attempt will have used up the time budget; 0: never.
TimeUs time_budget_ends_at(const JobState& state);

std::string time_budget_text(const JobState& state);

/// The budget that is used up, as text ("10s", "200000 tokens", "$5.00"); empty: none. `wall_us`: wall time
/// of an attempt that is not counted as ended yet.
std::string used_up_budget(const JobState& state, std::uint64_t wall_us = 0);

bool reports_usage(const std::vector<RecordOutput::Finding>& findings);

/// What the usage in this output means for the budgets of tokens and cost: one warning at four fifths of a
/// budget, and a polite stop of the attempt when all of it is used. An agent that has already reported its
/// outcome is not stopped: that would save nothing.
std::vector<NewEvent> budget_events(const JobState& state, const RecordOutput& output);

}  // namespace luzia
