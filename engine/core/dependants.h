// Which jobs wait for the end of which others (--after). Reports each end to those that wait for it, once.
// Loop thread.
#pragma once

#include <deque>
#include <functional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/core/job_book.h"

namespace luzia {

class Dependants {
 public:
  /// Runs the command on `dependant`. It may end the job, and so call ended() before it returns.
  using Report =
      std::function<void(const std::string& dependant, ReportDependency over, TimeUs now, Position cause)>;
  /// `jobs` and `history` must outlive it.
  Dependants(const JobBook& jobs, History& history, Report report)
      : jobs_(jobs), history_(history), report_(std::move(report)) {}

  /// Start: a live job as the core views hold it.
  void load(const JobState& job);
  /// Start: reports the ends that a crash kept from being reported.
  void resume(TimeUs now);
  /// Those of `after` that a new job has to wait for. Errors: `no_such_job`, `dependency_failed` (it has
  /// ended and is not completed).
  Result<std::vector<std::string>> open_ones(const std::vector<std::string>& after) const;
  /// The job is queued and waits for the jobs in `after`.
  void await(const JobState& job, TimeUs now);
  void ended(const JobState& job, TimeUs now) { report({job.job, job.state, job.lifecycle_position, now}); }

 private:
  struct Over {
    std::string job;
    schema::JobState state;
    Position cause;
    TimeUs now;
  };
  void report(Over over);

  const JobBook& jobs_;
  History& history_;
  Report report_;
  std::unordered_map<std::string, std::set<std::string>> waiting_;  // by the job that they wait for
  // A queue instead of a recursion: an end may end the dependant too, whose own dependants come next, and a
  // chain may be longer than the stack is deep.
  std::deque<Over> to_report_;
  bool reporting_ = false;
};

}  // namespace luzia
