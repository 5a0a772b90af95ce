#include "engine/core/job_clock.h"

#include <vector>

namespace luzia {
namespace {

/// Delay before a command that was due and refused is tried again.
constexpr TimeUs kLookAgain = 10 * kSecondUs;

}  // namespace

void JobClock::rearm_all() {
  for (const auto& [id, job] : jobs_.all()) rearm(job);
}

void JobClock::warn_of_duration(double fraction) {
  warn_fraction_ = fraction;
  rearm_all();
}

void JobClock::time_passed(TimeUs now) {
  for (const std::string& id : deadlines_.due(now)) {
    const bool done = run_(id, DeadlineReached{warn_fraction_}, now, 0);
    const JobState* job = jobs_.find(id);
    if (job == nullptr) {
      deadlines_.set(id, 0);
    } else if (!done) {
      // The command was refused, so its moment stays in the past: trying at once would loop for ever.
      deadlines_.set(id, now + kLookAgain);
    } else {
      // A warning is not a lifecycle event, so the change of the job has not rearmed the deadline.
      rearm(*job);
    }
  }
}

void JobClock::shift(TimeUs by, TimeUs now, Position cause) {
  std::vector<std::string> jobs;
  jobs.reserve(jobs_.all().size());
  for (const auto& [id, job] : jobs_.all()) jobs.push_back(id);
  for (const std::string& id : jobs) run_(id, ShiftDeadlines{by}, now, cause);
  rearm_all();  // moments at which to try again were computed with the old clock
}

}  // namespace luzia
