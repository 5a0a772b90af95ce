// Makes folders and settings that an attempt must find, as the job's user. Worker threads.
//
// What a sandboxed agent may only read (Agent::state_to_read, JobRepository) must exist: the kernel protects
// a file that is there, but keeps nobody from making one below a writable folder. What is missing is made
// once, empty, and stays.
//
// Rejected: to remove it after the attempt. The kernel would take the protection with it from every other
// attempt at the same place, and after kill -9 nobody would remove it.
// Rejected: an overlay with the names below it. Its upper folder may not be shared by attempts, nor change
// beside them.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "job.fb.h"

namespace luzia {

/// Makes a folder below the home of the job's user, or at an absolute path, if it is missing. If this fails,
/// the agent shows it.
void make_users_folder(const schema::JobSpecT& spec, const std::string& name);

/// For a job with a sandbox and its command: the folder of its agent's state, which is the first that the
/// sandbox may write, and what of state and repository is only read. Nothing where the user may not write,
/// since the agent may not either, unless that user owns the folder and may open it. Error:
/// `sandbox_unavailable` (trouble): something is missing, and the attempt must not start.
Status make_agent_state(const schema::JobSpecT& spec, const std::vector<std::string>& argv);

}  // namespace luzia
