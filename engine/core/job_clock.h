// Moments that jobs wait for: limits and warnings of their attempts, retries. Loop thread.
#pragma once

#include <functional>
#include <string>

#include "engine/core/deadlines.h"
#include "engine/core/job_book.h"

namespace luzia {

class JobClock {
 public:
  /// Runs a command on the job. Returns whether it was accepted.
  using Run = std::function<bool(const std::string& job, JobCommand, TimeUs now, Position cause)>;
  /// `jobs` must outlive it.
  JobClock(const JobBook& jobs, Run run) : jobs_(jobs), run_(std::move(run)) {}

  /// Warns about an attempt once it has used this part (0 to 1) of its estimate or limit; 0, the default:
  /// never.
  void warn_of_duration(double fraction);
  /// The job was loaded or has changed.
  void rearm(const JobState& job) { deadlines_.set(job.job, next_deadline(job, warn_fraction_)); }
  void time_passed(TimeUs now);
  /// When to call time_passed() next; 0: never.
  TimeUs next_moment() const { return deadlines_.first(); }
  /// The wall clock was stepped by `by`: open deadlines move with it.
  void shift(TimeUs by, TimeUs now, Position cause);

 private:
  void rearm_all();

  const JobBook& jobs_;
  Run run_;
  Deadlines deadlines_;
  double warn_fraction_ = 0;
};

}  // namespace luzia
