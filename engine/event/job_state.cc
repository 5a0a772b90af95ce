#include "engine/event/job_state.h"

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
      return true;
  }
  return false;
}

}  // namespace luzia
