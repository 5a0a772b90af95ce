// Durations in requests: refused where they are longer than anybody means (kLongestDurationMs), before they
// come into the log. Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/result.h"
#include "protocol.fb.h"

namespace luzia {

/// `bad_timeout` (usage) when `ms` is over ten years. `what` begins the message ("a time limit"), `hint` says
/// what to do instead.
Status check_duration(const std::string& what, std::uint64_t ms, std::string hint = "leave it out for none");

/// The same of all that a request says. Of an order about jobs only a cancel's grace counts.
Status check_durations(const wire::DispatchJobT& request);
Status check_durations(const wire::ActOnJobsT& request);
Status check_durations(const wire::FlowStepOrderT& request);

}  // namespace luzia
