// Checks durations in requests. Refuses those longer than anyone means (kLongestDurationMs), before they
// reach the log. Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/result.h"
#include "protocol.fb.h"

namespace luzia {

/// `bad_timeout` (usage) if `ms` is over ten years. `what` begins the message ("a time limit"); `hint`
/// suggests a fix.
Status check_duration(const std::string& what, std::uint64_t ms, std::string hint = "leave it out for none");

/// Checks all durations of a request. For a command on jobs, only a cancel's grace period counts.
Status check_durations(const wire::DispatchJobT& request);
Status check_durations(const wire::ActOnJobsT& request);
Status check_durations(const wire::NewFlowStepT& request);

}  // namespace luzia
