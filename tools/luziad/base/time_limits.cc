#include "tools/luziad/base/time_limits.h"

#include "engine/base/durations.h"

namespace luzia {

Status check_duration(const std::string& what, std::uint64_t ms, std::string hint) {
  if (ms <= kLongestDurationMs) return {};
  return fail(ErrorKind::usage, "bad_timeout", what + " of over ten years is none", std::move(hint));
}

Status check_durations(const wire::DispatchJobT& request) {
  LUZIA_TRY(check_duration("a time limit", request.timeout_ms));
  LUZIA_TRY(check_duration("a time budget", request.budget_time_ms));
  return check_duration("an estimate", request.estimate_ms);
}

Status check_durations(const wire::ActOnJobsT& request) {
  constexpr std::uint64_t kOfTheJob = ~std::uint64_t{0};
  if (request.action != wire::JobAction::cancel || request.grace_ms == kOfTheJob) return {};
  return check_duration("a grace", request.grace_ms, "leave it out for the job's own");
}

Status check_durations(const wire::NewFlowStepT& request) {
  return check_duration("step '" + request.name + "': a time limit", request.timeout_ms);
}

}  // namespace luzia
