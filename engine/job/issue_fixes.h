// Known issues that a command can fix: what the state keeps of them, how a fix starts, and how it is judged.
// Private to engine/job.
#pragma once

#include "engine/job/decide_parts.h"

namespace luzia {

/// Part of evolve().
void evolve_issue(JobState& state, const schema::IssueEvent& issue);

NewEvent fix_started(const JobState& state, const RetryJob::Fix& fix);
/// Records the result of all fixes under way, from the attempt that followed them. `failed`: the fix itself
/// failed, or the attempt did not complete.
void end_fixes(const JobState& state, bool failed, Events& events);

}  // namespace luzia
