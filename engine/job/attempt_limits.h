// The limits of an attempt in memory, processes, CPU and disk: what happens when one is reached, in events
// and in words. Pure.
#pragma once

#include <string>
#include <vector>

#include "engine/job/job.h"

namespace luzia {

/// Whether anything is limited.
bool has_limits(const schema::JobSpecT& spec);
bool has_limits(const schema::AttemptLimitsT& limits);

/// The end of an attempt that was stopped for this reason.
schema::EndReason end_of_limit(schema::StopReason reason);

/// Why an attempt is stopped: what it used, of what, which processes were largest, and how to allow more.
std::string limit_note(const JobState& state, const StopAtLimit& reached);
/// The same of an attempt that reached a limit which the kernel holds.
std::string limit_note(const JobState& state, const schema::ReachedLimitT& reached);

/// How the limits of the attempt that has started are held, and a warning if one is not; nothing without
/// limits.
std::vector<NewEvent> limit_events(const JobState& state, const ReportStarted& started);

}  // namespace luzia
