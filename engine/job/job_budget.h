// The budgets of a job, in time, tokens and cost: what its attempts may take together. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/job/job.h"

namespace luzia {

/// What the attempts that are over have left of the time budget, in milliseconds; nullopt: there is none.
std::optional<std::uint64_t> time_budget_left_ms(const JobState& state);

/// When the running attempt has used up what was left; 0: never.
TimeUs time_budget_ends_at(const JobState& state);

std::string time_budget_text(const JobState& state);

/// The budget that is used up, in words ("10s", "200000 tokens", "$5.00"); empty: none is. `wall_us`: of an
/// attempt that is not among those over yet.
std::string used_up_budget(const JobState& state, std::uint64_t wall_us = 0);

/// What follows for the budgets of tokens and cost from usage that is read in this output: one warning when
/// four fifths of a budget are used, and the polite stop of the attempt when all of it is. An agent that has
/// said how its work ended is not stopped any more: nothing would be saved.
std::vector<NewEvent> budget_events(const JobState& state, const RecordOutput& output);

}  // namespace luzia
