// The time budget of a job: what its attempts may take together. Pure. (Budgets of tokens and cost are
// recorded with the job; nothing reports what they count yet.)
#pragma once

#include <cstdint>
#include <optional>

#include "engine/job/job.h"

namespace luzia {

/// What the attempts that are over have left of the budget, in milliseconds; nullopt: there is no budget.
std::optional<std::uint64_t> time_budget_left_ms(const JobState& state);

/// When the running attempt has used up what was left; 0: never.
TimeUs time_budget_ends_at(const JobState& state);

}  // namespace luzia
