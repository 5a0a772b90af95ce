// Attempts in the outside world: carries out the engine's effects and reports back what the processes did.
// Loop thread; everything that may block runs on workers. Knows nothing that could not be found again from
// the claims and exit records in STORE/run.
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
    std::uint64_t open_files = 0;  // LaunchPlaces
    /// The known issues that output of a project's jobs is looked through for; may be empty.
    std::function<IssueTally::Matcher(const std::string& project)> issues = {};
    /// Before an attempt's end is reported: `then` runs once what its agent asked last is decided.
    std::function<void(const std::string& job, std::function<void()> then)> last_requests = {};
    std::string client_program = {};  // LaunchPlaces
    /// What an attempt shows to speak for its job.
    std::function<std::string(const std::string& job, std::uint32_t attempt)> credential = {};
    std::string attempts_socket = {};  // for attempts of other users; empty: socket_path
    /// What builds the prompt of a job with a template; called back on the loop.
    std::function<void(const JobState&, std::function<void(PromptBuild)>)> prompt = {};
    std::string limits = {};  // LaunchPlaces
  };
  /// `report` submits a command of the daemon about one job.
  using Report = std::function<void(const std::string& job, JobCommand)>;

  Attempts(uv_loop_t* loop, Setting setting, Workers& workers, const EventLog& log, OutputWatcher& watcher,
           Report report);

  /// Carries out a due effect.
  void carry_out(const Effect& effect, const JobState& job);
  /// Start of the daemon: a job that had a process when the last daemon ended.
  void adopt(const JobState& job);
  /// After the last adopt(): `then`, once the end of each attempt that was over by then is in the log,
  /// from within job_changed(); at once where there is none.
  void when_taken_up(std::function<void()> then);
  /// The job's state changed durably: lets go of an attempt that is over.
  void job_changed(const JobState& job) override;
  /// Removes claims and exit records of attempts that nobody waits for (left by a crash after the end).
  void sweep_run_dir(const std::function<bool(const std::string& job)>& is_live);
  std::size_t running() const { return attempts_.size(); }
  /// Lets go of all processes without touching them. Launches that are under way end as they will; nothing
  /// follows from them here, and nothing new begins: the next daemon finds them by their claims.
  void close() override;

 private:
  struct Attempt {
    std::uint32_t number = 0;
    std::uint32_t uid = 0;  // of the job's user
    std::string job_dir;
    Claim claim;
    std::unique_ptr<ProcessWatch> runner;
    std::unique_ptr<ProcessWatch> agent;  // or, with it gone, another process of its group
    bool ending = false;
    bool left_record = false;  // the luzia-run is gone and has left a whole exit record
    bool told_trouble = false;
    bool inferred = false;  // its end: nobody has written the exit line
  };

  void send(EffectKind kind, const AttemptMark& mark, Claim claim);
  bool is_stop_awaited(const std::string& job, std::uint32_t number) const;
  void send_awaited(const std::string& job, const Attempt& attempt);
  void launch(const JobState& job);
  void launch_with(const std::shared_ptr<JobState>& state, PromptBuild build);
  void launched(const std::string& job, std::uint32_t number, const Result<Claim>& claim,
                const std::shared_ptr<JobState>& state);
  /// `claimed`: by the run files, not only as the log knows it.
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
  Attempt* find(const std::string& job, std::uint32_t number);
  Result<std::unique_ptr<ProcessWatch>> watch_process(const ProcessId& process, std::function<void()> gone);
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
  std::set<std::string> to_take_up_;  // jobs whose attempts were over when they were adopted
  std::function<void()> when_taken_up_;
  std::vector<SpentAttempt> spent_;           // run files for the next launches; the next daemon removes them
  std::map<std::string, Effect> awaited_;     // stops of jobs whose luzia-run is not known yet
  std::set<std::string> short_of_resources_;  // jobs whose launch is tried again, and was told to be
  Timer late_start_timer_;
  bool awaits_late_starts_ = false;
  Timer again_timer_;
  std::vector<std::function<void()>> again_;
  /// Shared with the work under way, which may end after this object.
  std::shared_ptr<bool> closed_ = std::make_shared<bool>(false);
};

}  // namespace luzia
