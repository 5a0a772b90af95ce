// Known issues that a command fixes: what the state keeps of them, and how a fix is begun and judged. Private
// to engine/job.
#pragma once

#include "engine/job/decide_parts.h"

namespace luzia {

/// Part of evolve().
void evolve_issue(JobState& state, const schema::IssueEvent& issue);

NewEvent fix_started(const JobState& state, const RetryJob::Fix& fix);
/// The fixes under way are judged: by an attempt that came after them, or, with `failed`, because the fix
/// itself did not succeed.
void end_fixes(const JobState& state, bool failed, Events& events);

}  // namespace luzia
