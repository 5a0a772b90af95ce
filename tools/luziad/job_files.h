// Keeps meta.json of the job directories up to the durable rows. Views for people: never read back. Loop
// thread.
#pragma once

#include "tools/luziad/job_tasks.h"
#include "tools/luziad/parts.h"

namespace luzia {

class JobFiles {
 public:
  explicit JobFiles(Parts& parts) : parts_(parts), writers_(parts.workers) {}
  /// Call for every durable change of a job that has a directory.
  void job_changed(const JobState& job);
  /// Start of the daemon: those of jobs that are not over, and of the last ones that ended, perhaps while the
  /// daemon before was killed.
  void refresh(History& history);

 private:
  Parts& parts_;
  JobTasks writers_;  // one at a time for a job: an older row is never written last
};

}  // namespace luzia
