// The agents that a new job may go on with while its own cannot: [agents.X] fallback, or those of the
// dispatch. Plain values, any thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "adapters/config/config.h"
#include "engine/job/job.h"
#include "protocol.fb.h"

namespace luzia {

/// In a dispatch, alone: no other agent, whatever the configuration says.
inline constexpr std::string_view kNoFallback = "none";

/// The names, in order. `bad_fallback` (usage): the job's own agent, one named twice, or too many.
Result<std::vector<std::string>> fallbacks_of(const Config& config, const wire::DispatchJobT& request,
                                              const std::string& agent);

/// Adds the specs of these agents to a job whose own is complete. `make` makes the same job for another
/// agent. `bad_fallback` (usage): one of them executes the task as a command, and the other reads it; or it
/// is confined less than the job's own.
Status add_fallbacks(QueueJob& job, const std::vector<std::string>& agents,
                     const std::function<Result<QueueJob>(const std::string& agent)>& make);

}  // namespace luzia
