// Watches the processes and logs of tracked jobs. A process is known by boot, pid and start time, so another
// one with its pid is never taken for it. Its end is a conclusion: it is nobody's child here, and how it
// ended stays unknown. Nothing is ever sent to it. All state can be recovered from the jobs. Loop thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "adapters/launcher/launcher.h"
#include "adapters/output_log/output_watcher.h"
#include "engine/job/job.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/loop.h"

namespace luzia {

class TrackedJobs final : public Follower {
 public:
  struct Setting {
    std::string boot_id;
    /// Returns the known issues to search a project's output for; may be empty.
    std::function<IssueTally::Matcher(const std::string& project)> issues = {};
    /// Submits a daemon's command about one job.
    std::function<void(const std::string& job, JobCommand)> report;
  };
  TrackedJobs(uv_loop_t* loop, Mailbox& mailbox, OutputWatcher& watcher, Setting setting);

  /// Begins or ends the watch, as the job's state says. Call it at the start for each live job.
  void job_changed(const JobState& job) override;
  /// Runs `then` once the job's log is read to its present end and that is in the log of events, but after
  /// two seconds in any case: at once for any other job.
  void read_on(const std::string& job, std::function<void()> then);
  /// The last line of its log; empty: none, or no log.
  std::string last_line(const std::string& job) const;
  void close() override;

 private:
  struct Tracked {
    std::unique_ptr<ProcessWatch> process;
    ProcessId id;
    std::string boot_id;
    bool ending = false;
    bool reported_trouble = false;
    std::vector<std::function<void()>> waiting = {};  // for its log to be read on
  };
  void watch_log(const JobState& job);
  void look_at_process(const std::string& job);
  void gone(const std::string& job, const std::string& detail);
  void answer(const std::string& job);

  uv_loop_t* loop_;
  Mailbox& mailbox_;
  OutputWatcher& watcher_;
  Setting setting_;
  std::map<std::string, Tracked> tracked_;
  std::unique_ptr<Timer> again_, patience_;  // null once closed
};

}  // namespace luzia
