// Watches the processes of attempts until they are gone, learns how each attempt ended, and reports the end
// once its output and its last prompts were read. Loop thread.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "adapters/output_log/output_watcher.h"
#include "tools/luziad/attempts/starts.h"

namespace luzia {

/// An attempt's end as the copy in the job directory says, if this log does not know of it: it was restored
/// from a backup.
std::optional<RecordExit> copied_exit(const std::string& run_dir, const std::string& job,
                                      const LiveAttempt& attempt);

class Endings {
 public:
  /// Runs `then` once the agent's last prompts are decided. May be empty.
  using LastRequests = std::function<void(const std::string& job, std::function<void()> then)>;
  /// `attempts`, `starts` and `watcher` must outlive it.
  Endings(AttemptContext& attempts, Starts& starts, OutputWatcher& watcher, LastRequests last_requests)
      : attempts_(attempts), starts_(starts), watcher_(watcher), last_requests_(std::move(last_requests)) {}

  void watch_runner(const std::string& job, std::uint32_t number);
  /// luzia-run (and perhaps the agent) is gone: the exit record says how the attempt ended; otherwise it is
  /// inferred.
  void after_record(const std::string& job, std::uint32_t number, bool agent_gone);
  /// Runs `then` once the log has the end of each attempt whose processes are all gone by now; at once if
  /// there is none.
  void when_taken_up(std::function<void()> then);
  /// The end of this attempt is in the log, or the attempt turned out to be alive.
  void take_up(const std::string& job);
  void stop() { to_take_up_.clear(); }

 private:
  bool watch_agent(const std::string& job, LiveAttempt& attempt);
  void runner_gone(const std::string& job, std::uint32_t number);
  void agent_gone(const std::string& job, std::uint32_t number);
  void end_unstarted(const std::string& job, const LiveAttempt& attempt);
  void end_unless_survived(const std::string& job, const LiveAttempt& attempt);
  void watch_survivor(const std::string& job, LiveAttempt& attempt, const ProcessId& survivor);
  void end_lost(const std::string& job, const LiveAttempt& attempt);
  void end(const std::string& job, std::uint32_t number, RecordExit exit, std::uint64_t output_size);
  void report_end(const std::string& job, std::uint32_t number, std::shared_ptr<RecordExit> exit);
  void try_again(const std::string& job, LiveAttempt& attempt, const Error& why, std::function<void()> then);

  AttemptContext& attempts_;
  Starts& starts_;
  OutputWatcher& watcher_;
  LastRequests last_requests_;
  std::set<std::string> to_take_up_;
  std::function<void()> when_taken_up_;
};

}  // namespace luzia
