// Runs attempts: carries out the engine's effects and reports what the processes did. Loop thread; everything
// that may block runs on workers. All its state can be recovered from the claims and exit records in
// STORE/run.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "adapters/launcher/launcher.h"
#include "adapters/output_log/output_watcher.h"
#include "engine/core/engine.h"
#include "tools/luziad/attempts/job_tasks.h"
#include "tools/luziad/attempts/prompts.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/loop.h"

namespace luzia {

class Attempts final : public Follower {
 public:
  struct Setting {
    std::string run_dir;
    std::string socket_path;
    std::string runner_program;
    std::string boot_id;
    std::uint64_t open_files = 0;  // see LaunchPlaces
    /// Returns the known issues to search a project's output for; may be empty.
    std::function<IssueTally::Matcher(const std::string& project)> issues = {};
    /// Called before an attempt's end is reported: runs `then` once the agent's last prompts are decided.
    std::function<void(const std::string& job, std::function<void()> then)> last_requests = {};
    std::string client_program = {};  // see LaunchPlaces
    /// Returns the credential with which an attempt acts for its job.
    std::function<std::string(const std::string& job, std::uint32_t attempt)> credential = {};
    std::string attempts_socket = {};  // for attempts of other users; empty: socket_path
    /// Provides the function that builds a prompt from the job's template; calls back on the loop.
    std::function<void(const JobState&, std::function<void(PromptBuild)>)> prompt = {};
    std::string limits = {};  // see LaunchPlaces
    /// Whether programs of this agent write their output line by line.
    std::function<bool(const std::string& agent)> line_buffered = {};
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
  void when_taken_up(std::function<void()> then);
  /// The job's state changed durably: releases an attempt that is over.
  void job_changed(const JobState& job) override;
  /// Removes claims and exit records that no attempt needs any more (left by a crash after the end).
  void sweep_run_dir(const std::function<bool(const std::string& job)>& is_live);
  std::size_t running() const { return attempts_.size(); }
  /// Releases all processes without touching them. Launches in progress complete, but have no further effect
  /// here, and nothing new begins. The next daemon finds them by their claims.
  void close() override;

 private:
  struct Attempt {
    std::uint32_t number = 0;
    std::uint32_t uid = 0;  // the job's user
    std::string job_dir, project;
    Claim claim;
    std::unique_ptr<ProcessWatch> runner;
    std::unique_ptr<ProcessWatch> agent;  // if it is gone, another process of its group
    bool ending = false;
    bool left_record = false;  // luzia-run is gone and left a complete exit record
    bool reported_trouble = false;
    bool inferred = false;  // the end was inferred: nobody wrote the exit line
  };

  void send(EffectKind kind, const AttemptMark& mark, Claim claim);
  bool is_stop_awaited(const std::string& job, std::uint32_t number) const;
  void send_awaited(const std::string& job, const Attempt& attempt);
  void launch(const JobState& job);
  void launch_with(const std::shared_ptr<JobState>& state, PromptBuild build);
  void launched(const std::string& job, std::uint32_t number, const Result<Claim>& claim,
                const std::shared_ptr<JobState>& state);
  /// `claimed`: known from the run files, not only from the log.
  /// Begins to watch the output of the attempt.
  Attempt& watch(const JobState& job, const Claim& claim, bool claimed);
  void follow(const JobState& job, const Claim& claim, bool claimed);
  void report_start(const std::string& job, Attempt& attempt);
  void await_late_starts(std::uint64_t wait_ms);
  void look_for_late_starts(std::uint64_t waited_ms);
  Result<bool> learn_start(const std::string& job, Attempt& attempt);
  void watch_runner(const std::string& job, std::uint32_t number);
  bool watch_agent(const std::string& job, Attempt& attempt);
  void runner_gone(const std::string& job, std::uint32_t number);
  void agent_gone(const std::string& job, std::uint32_t number);
  void after_record(const std::string& job, std::uint32_t number, bool agent_gone);
  std::optional<RecordExit> copied_exit(const std::string& job, const Attempt& attempt) const;
  void end_unstarted(const std::string& job, const Attempt& attempt);
  void end_unless_survived(const std::string& job, const Attempt& attempt);
  void watch_survivor(const std::string& job, Attempt& attempt, const ProcessId& survivor);
  void end_lost(const std::string& job, const Attempt& attempt);
  void take_up(const std::string& job);
  void end(const std::string& job, std::uint32_t number, RecordExit exit, std::uint64_t output_size);
  void report_end(const std::string& job, std::uint32_t number, std::shared_ptr<RecordExit> exit);
  Attempt* find(const std::string& job, std::uint32_t number);
  void try_again(const std::string& job, Attempt& attempt, const Error& why, std::function<void()> then);
  void after_a_while(std::function<void()> then);
  WatchSpec watch_spec(const JobState& job, const Attempt& attempt, bool claimed) const;

  uv_loop_t* loop_;
  Setting setting_;
  Workers& workers_;
  const EventLog& log_;
  OutputWatcher& watcher_;
  Report report_;
  Launcher launcher_;
  JobTasks signals_;
  std::map<std::string, Attempt> attempts_;
  std::set<std::string> to_take_up_;  // jobs whose attempts were already over when adopted
  std::function<void()> when_taken_up_;
  std::vector<SpentAttempt> spent_;           // for reuse in launches; the next daemon removes them
  std::map<std::string, Effect> awaited_;     // stops of jobs whose luzia-run is not known yet
  std::set<std::string> short_of_resources_;  // jobs with a failed launch that is retried and was reported
  Timer late_start_timer_;
  bool awaits_late_starts_ = false;
  Timer again_timer_;
  std::vector<std::function<void()>> again_;
  /// Shared with work in progress, which may outlive this object.
  std::shared_ptr<bool> closed_ = std::make_shared<bool>(false);
};

}  // namespace luzia
