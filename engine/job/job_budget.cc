#include "engine/job/job_budget.h"

#include <algorithm>

namespace luzia {

std::optional<std::uint64_t> time_budget_left_ms(const JobState& state) {
  const std::uint64_t budget = state.spec->budget_time_ms;
  if (budget == 0) return std::nullopt;
  return budget - std::min(budget, state.spent_us / 1'000);
}

TimeUs time_budget_ends_at(const JobState& state) {
  const auto left = time_budget_left_ms(state);
  if (!left || state.started_us == 0 || state.attempt_over) return 0;
  constexpr std::uint64_t kFarMs = 100'000'000'000'000;  // 3,000 years: no overflow in microseconds
  return state.started_us + static_cast<TimeUs>(std::min(*left, kFarMs)) * kMillisecondUs;
}

}  // namespace luzia
