// Keeps meta.json of the job directories up to the durable rows, and catches up on exit lines. Views for
// people: never read back. Loop thread.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "tools/luziad/attempts/job_tasks.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/parts.h"

namespace luzia {

class JobFiles final : public Follower {
 public:
  explicit JobFiles(Parts& parts)
      : parts_(parts), writers_(parts.workers), timer_(std::make_unique<Timer>(parts.loop)) {}
  /// Call for every durable change of a job that has a directory. The end of an attempt is written at once,
  /// changes of one that runs up to kLagMs later together: of a short job only the end.
  void job_changed(const JobState& job) override;
  /// Start of the daemon: those of jobs that are not over, and of the last ones that ended, perhaps while the
  /// daemon before was killed; of these also the exit lines that it may have owed (exit_lines.h).
  void refresh(History& history);
  /// Nothing is written after this; what was still to be, the next start writes.
  void close() override;

 private:
  struct Change {
    std::uint32_t uid = 0, gid = 0;
    Position position = 0;
  };
  static constexpr std::uint64_t kLagMs = 100;

  void write(const std::string& job, const Change& change);

  Parts& parts_;
  JobTasks writers_;                       // one at a time for a job: an older row is never written last
  std::map<std::string, Change> changed_;  // to be written when the timer fires
  std::unique_ptr<Timer> timer_;           // null once closed
};

}  // namespace luzia
