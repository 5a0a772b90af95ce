// A job that is taken out of every list, and whose texts may be erased: what that leaves of its state, and
// what else is refused from then on. Private to engine/job but for is_purged().
#pragma once

#include "engine/job/decide_parts.h"

namespace luzia {

/// Whether its texts are erased, or are about to be: its task is gone with them.
bool is_purged(const JobState& state);

/// Part of evolve(). After a purge the state has no word of a person or an agent any more.
void remove_job(JobState& state, const schema::JobRemoved& fact);

/// `job_removed`. `what`: "retry".
tl::unexpected<Error> refuse_removed(const JobState& state, const std::string& what);

}  // namespace luzia
