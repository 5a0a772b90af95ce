// Runs attempts: carries out the engine's effects and reports what the processes did. Loop thread; everything
// that may block runs on workers. All its state can be recovered from the claims and exit records in
// STORE/run.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "engine/core/engine.h"
#include "tools/luziad/attempts/endings.h"
#include "tools/luziad/attempts/launches.h"
#include "tools/luziad/base/follower.h"

namespace luzia {

class Attempts final : public Follower {
 public:
  struct Setting {
    std::string run_dir;
    std::string boot_id;
    Launches::Setting launch;
    /// Returns the known issues to search a project's output for; may be empty.
    std::function<IssueTally::Matcher(const std::string& project)> issues = {};
    Endings::LastRequests last_requests = {};
  };
  /// `report` submits a daemon's command about one job.
  using Report = std::function<void(const std::string& job, JobCommand)>;

  Attempts(uv_loop_t* loop, Setting setting, Workers& workers, const EventLog& log, OutputWatcher& watcher,
           Report report);

  /// Carries out a due effect.
  void carry_out(const Effect& effect, const JobState& job);
  /// At the daemon's start: takes over a job that had a process when the last daemon ended.
  void adopt(const JobState& job);
  /// Call after the last adopt(). Runs `then` once the log has the end of each attempt that was already over;
  /// then it runs from within job_changed(). Runs it at once if there is none.
  void when_taken_up(std::function<void()> then) { endings_.when_taken_up(std::move(then)); }
  /// The job's state changed durably: releases an attempt that is over.
  void job_changed(const JobState& job) override;
  /// Removes claims and exit records that no attempt needs any more (left by a crash after the end).
  void sweep_run_dir(const std::function<bool(const std::string& job)>& is_live);
  std::size_t running() const { return context_.live.by_job.size(); }
  /// Releases all processes without touching them. Launches in progress complete, but have no further effect
  /// here, and nothing new begins. The next daemon finds them by their claims.
  void close() override;

 private:
  /// Begins to watch the output of the attempt. `claimed`: known from the run files, not only from the log.
  LiveAttempt& watch(const JobState& job, const Claim& claim, bool claimed);
  void follow(const JobState& job, const Claim& claim, bool claimed);
  void note_limits(const JobState& job, LiveAttempt& attempt) const;
  /// Whether what to black out in the job's output is known. If not, learns it and calls `then`.
  bool knows_secrets(const JobState& job, std::function<void(const JobState&)> then);
  WatchSpec watch_spec(const JobState& job, const LiveAttempt& attempt, bool claimed) const;

  std::function<IssueTally::Matcher(const std::string& project)> issues_;
  std::shared_ptr<const LimitCgroups> cgroups_;
  SecretBook* secrets_;
  OutputWatcher& watcher_;
  AttemptContext context_;
  AttemptSignals signals_;
  Starts starts_;
  Endings endings_;
  Launches launches_;
};

}  // namespace luzia
