// Keeps meta.json in the job directories up to date with the durable rows, and completes missing exit lines.
// These files are views for people and are never read back. Loop thread.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "engine/core/history.h"
#include "tools/luziad/attempts/job_tasks.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/loop.h"
#include "tools/luziad/base/store.h"

namespace luzia {

class JobFiles final : public Follower {
 public:
  JobFiles(const Threads& threads, const Store& store)
      : store_(store), writers_(threads.workers), timer_(std::make_unique<Timer>(threads.loop)) {}
  /// Call it for every durable change of a job that has a directory. Writes an attempt's end at once. Changes
  /// of a running attempt are written together, up to kLagMs later; so a short job causes only one write.
  void job_changed(const JobState& job) override;
  /// Soon after the daemon's start: rewrites the files of jobs that are not over and of the most recently
  /// ended ones, whose end the last daemon may not have written. For the latter it also writes exit lines
  /// that are missing (exit_lines.h).
  void refresh(History& history);
  /// Writes nothing after this. The next start writes what is outstanding.
  void close() override;

 private:
  struct Change {
    std::uint32_t uid = 0, gid = 0;
    Position position = 0;
  };
  static constexpr std::uint64_t kLagMs = 100;

  void write(const std::string& job, const Change& change);

  Store store_;
  JobTasks writers_;                       // one at a time per job: an older row is never written last
  std::map<std::string, Change> changed_;  // to write when the timer fires
  std::unique_ptr<Timer> timer_;           // null once closed
};

}  // namespace luzia
