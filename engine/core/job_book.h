// Jobs that have not ended or are not yet in the views. Others are brought back into memory when a command
// changes them. Loop thread.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/history.h"

namespace luzia {

class JobBook {
 public:
  using Jobs = std::map<std::string, JobState, std::less<>>;
  /// It must outlive this.
  explicit JobBook(History& history) : history_(history) {}

  /// Start: a live job as the core views hold it.
  const JobState& load(JobState&& job);
  const Jobs& all() const { return jobs_; }
  /// nullptr: the job is not in memory. Valid until the job is forgotten.
  const JobState* find(std::string_view job) const;
  /// The state of any job, in memory or not; `none`: there never was one.
  Result<schema::JobState> state_of(const std::string& job) const;
  /// Error `no_such_job` (not found).
  Result<JobState*> to_change(const std::string& job);
  /// Returns the job, and whether it was added now. Added ones can be dropped again.
  std::pair<JobState*, bool> add(const std::string& job);
  void drop(const std::vector<std::string>& added);
  /// The job has ended: it leaves memory once the views hold that.
  void ended(const JobState& job) { ended_.emplace_back(job.position, job.job); }
  /// Forgets ended jobs that the views hold up to `cursor`, and returns their ids.
  std::vector<std::string> views_reached(Position cursor);

 private:
  History& history_;
  Jobs jobs_;
  std::deque<std::pair<Position, std::string>> ended_;
};

}  // namespace luzia
