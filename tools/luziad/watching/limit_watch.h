// Holds running attempts to their limits where the kernel does not, and keeps a reserve of memory for the
// machine ([queue] stop_when_memory_below). Loop thread; it looks on threads of its own, because a fork bomb
// or a burst of starts may occupy all workers.
//
// Looks at all processes once for all jobs, each second, and more often at what is near a limit
// (limit_rules.h). At the files of job directories it looks apart, because a disk may not respond. Without
// limits and reserve it has no timer, and nothing is looked at.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "adapters/config/config.h"
#include "engine/base/redactor.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/loop.h"
#include "tools/luziad/watching/limit_rules.h"

namespace luzia {

class LimitWatch final : public Follower {
 public:
  struct Hooks {
    std::function<void(const std::string& job, StopAtLimit)> stop;
    /// Calls `see` with each job that has not ended.
    std::function<void(const std::function<void(const JobState&)>& see)> each_job;
    /// Folder of the attempt's cgroup, whether it exists or not; empty: none.
    std::function<std::string(const std::string& job, std::uint32_t attempt)> cgroup_of;
    std::function<TimeUs()> monotonic_now;
    std::string proc = "/proc";
    /// Of the job's secrets, which its processes may have in their names; null: it has none.
    std::function<std::shared_ptr<const Redactor>(const std::string& job)> redactor = {};
  };

  LimitWatch(uv_loop_t* loop, const Mailbox& mailbox, const Config& config, Hooks hooks);

  /// The job's state changed durably, or the daemon has found it at its start.
  void job_changed(const JobState& job) override;
  void config_changed() override;
  void close() override;

  /// Adds to the end of an attempt that the kernel has killed which processes were largest.
  void complete(const std::string& job, RecordExit& exit) const;
  /// Whether anything is looked at, now or later.
  bool looks() const { return processes_.looking || disks_.looking || (timer_ && timer_->running()); }

 private:
  struct Watched {
    std::uint32_t attempt = 0;
    ProcessTree tree;
    schema::AttemptLimitsT limits;
    std::string job_dir;
    std::uint32_t own_threads = 0;  // of luzia-run's own processes, which are no agent's
    MemoryGrowth growth;
    std::vector<schema::ProcessUseT> largest;  // at the last look
    bool stopped = false;
  };
  /// One kind of look, at most one at a time.
  struct Looking {
    bool looking = false;
    double nearest = 0;   // share of a limit that was used
    TimeUs last = 0;      // monotonic; 0: never
    TimeUs due = 0;       // monotonic
    TimeUs earliest = 0;  // monotonic: looking sooner would take too much of a core
  };
  struct ProcessLook;
  struct DiskLook;

  bool concerns(const JobState& job) const;
  void turn();
  void arm();
  void look_at_processes();
  void look_at_disks();
  void saw_processes(const ProcessLook& look);
  void saw_disks(const DiskLook& look);
  void look_again(Looking& kind, double nearest, TimeUs took) const;
  void keep_reserve(std::uint64_t available, TimeUs now);
  Watched* find(const std::string& job, std::uint32_t attempt);
  void stop(const std::string& job, Watched& watched, StopAtLimit stop);

  const Mailbox& mailbox_;
  const Config& config_;
  Hooks hooks_;
  std::map<std::string, Watched> watched_;
  Looking processes_, disks_;
  TimeUs reserve_waits_until_ = 0;  // monotonic: the memory of a stopped attempt takes time to come back
  std::unique_ptr<Timer> timer_;    // null once closed
};

/// MemAvailable of PROC/meminfo in bytes; nullopt if it cannot be read.
std::optional<std::uint64_t> available_memory(const std::string& proc);

}  // namespace luzia
