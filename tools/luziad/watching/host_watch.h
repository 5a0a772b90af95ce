// Tells the log which hosts running attempts with a list of hosts contact: new ones within seconds, and all
// of them with their counts at the end of the attempt. Loop thread; files are read on workers. Without such
// an attempt it has no timer.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/redactor.h"
#include "engine/job/job.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/loop.h"

namespace luzia {

class HostWatch final : public Follower {
 public:
  struct Hooks {
    std::string run_dir;
    std::function<void(const std::string& job, ReportHosts)> report;
    /// Null: no such job is live.
    std::function<const JobState*(const std::string& job)> find_job;
    /// Of the job's secrets, which its agent may put into names; null: it has none.
    std::function<std::shared_ptr<const Redactor>(const std::string& job)> redactor;
  };

  HostWatch(uv_loop_t* loop, Workers& workers, Hooks hooks);

  /// The job's state changed durably, or the daemon has found it at its start.
  void job_changed(const JobState& job) override;
  void close() override;
  /// The attempt is over, and its end is about to be recorded.
  void conclude(const std::string& job, std::uint32_t attempt);

 private:
  struct Watched {
    std::string job;
    std::uint32_t attempt = 0;
    std::size_t hosts = 0;  // that were reported
  };

  void arm();
  void look();
  void report(const std::string& job, ReportHosts found) const;

  Workers& workers_;
  Hooks hooks_;
  std::map<std::string, Watched> watched_;
  bool looking_ = false;
  std::unique_ptr<Timer> timer_;  // null once closed
  std::shared_ptr<bool> closed_ = std::make_shared<bool>(false);
};

}  // namespace luzia
