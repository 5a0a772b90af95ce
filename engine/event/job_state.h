// What the states of a job mean to everyone who reads them. Pure, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "job.fb.h"

namespace luzia {

/// Whether the job has ended. Only a retry reopens it, with its next attempt.
bool is_terminal(schema::JobState state);

/// Whether the job ended without having run (skipped or cancelled), or is not watched any more. It says
/// nothing about success.
bool never_ran(schema::JobState state);

/// What the job is, if the event begins one: JobQueued, JobImported or JobTracked.
const schema::JobSpec* spec_of_new_job(const schema::JobEvent& event);
bool begins_job(const schema::JobEvent& event);

/// The state that the event leaves its job in. The log has the words failed and killed for jobs that never
/// ran, too: with no attempt and the reason dependency_failed the job is skipped, with cancelled_before_start
/// it is cancelled. So is a tracked job that is not watched any more, for which the log has killed: its
/// process was not touched. (Rejected: new words in the log, which older programs would not know for an end.)
schema::JobState state_after(const schema::JobEnded& fact);

/// The id of a fleet's order that JobHeld names with its fence.
inline std::string order_id(std::string_view order) {
  return std::string(order.substr(0, order.find('#')));
}

/// The word for the state in events and in meta.json: failed for skipped, killed for cancelled.
schema::JobState recorded_state(schema::JobState state);

/// Whether one of `wanted` names the state. failed also names skipped jobs, and killed cancelled ones, as
/// before these two had words of their own.
bool names_state(const std::vector<schema::JobState>& wanted, schema::JobState state);

}  // namespace luzia
