// Removal of a job from every list, with or without erasing its texts: what is left of its state, and what is
// refused from then on. Private to engine/job except is_purged().
#pragma once

#include "engine/job/decide_parts.h"

namespace luzia {

/// Whether its texts, including its task, are erased or are about to be.
bool is_purged(const JobState& state);

/// Part of evolve(). After a purge the state holds no words of people or agents.
void remove_job(JobState& state, const schema::JobRemoved& fact);

/// Part of evolve().
void expire_files(JobState& state, const schema::FilesExpired& fact);

/// Error `files_expired` if its directory is gone: an attempt would need it. `what`: as below.
Status has_directory(const JobState& state, const std::string& what);

/// Error `job_removed`. `what` is a verb, such as "retry".
tl::unexpected<Error> refuse_removed(const JobState& state, const std::string& what);

}  // namespace luzia
