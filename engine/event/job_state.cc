#include "engine/event/job_state.h"

#include <algorithm>

namespace luzia {

bool is_terminal(schema::JobState state) {
  using schema::JobState;
  switch (state) {
    case JobState::none:
    case JobState::queued:
    case JobState::starting:
    case JobState::running:
    case JobState::waiting:
    case JobState::parked:
      return false;
    case JobState::completed:
    case JobState::failed:
    case JobState::killed:
    case JobState::timed_out:
    case JobState::lost:
    case JobState::skipped:
    case JobState::cancelled:
      return true;
  }
  return false;
}

bool never_ran(schema::JobState state) {
  return state == schema::JobState::skipped || state == schema::JobState::cancelled;
}

bool begins_job(const schema::JobEvent& event) {
  const schema::JobFact type = event.fact_type();
  return type == schema::JobFact::JobQueued || type == schema::JobFact::JobImported ||
         type == schema::JobFact::JobTracked;
}

const schema::JobSpec* spec_of_new_job(const schema::JobEvent& event) {
  if (const auto* queued = event.fact_as_JobQueued()) return queued->spec();
  if (const auto* imported = event.fact_as_JobImported()) return imported->spec();
  const auto* tracked = event.fact_as_JobTracked();
  return tracked != nullptr ? tracked->spec() : nullptr;
}

schema::JobState state_after(const schema::JobEnded& fact) {
  using schema::EndReason;
  using schema::JobState;
  if (fact.reason() == EndReason::untracked) return JobState::cancelled;
  if (fact.attempt() != 0) return fact.state();
  if (fact.reason() == EndReason::dependency_failed) return JobState::skipped;
  return fact.reason() == EndReason::cancelled_before_start ? JobState::cancelled : fact.state();
}

schema::JobState recorded_state(schema::JobState state) {
  using schema::JobState;
  if (state == JobState::skipped) return JobState::failed;
  return state == JobState::cancelled ? JobState::killed : state;
}

bool names_state(const std::vector<schema::JobState>& wanted, schema::JobState state) {
  return std::ranges::any_of(
      wanted, [state](schema::JobState each) { return each == state || each == recorded_state(state); });
}

}  // namespace luzia
