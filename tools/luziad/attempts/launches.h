// Launches attempts: builds the prompt, starts luzia-run on a worker, and tries again if the machine was
// short of something. Loop thread.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tools/luziad/attempts/attempt_signals.h"
#include "tools/luziad/attempts/live_attempts.h"
#include "tools/luziad/attempts/prompts.h"
#include "tools/luziad/queries/turns.h"
#include "tools/luziad/secrets/secret_book.h"

namespace luzia {

class LimitCgroups;
struct LaunchPlaces;

class Launches {
 public:
  struct Setting {
    std::string socket_path;
    std::string runner_program;
    std::uint64_t open_files = 0;     // see LaunchPlaces
    std::string client_program = {};  // see LaunchPlaces
    /// Returns the credential with which an attempt acts for its job.
    std::function<std::string(const std::string& job, std::uint32_t attempt)> credential = {};
    std::string attempts_socket = {};  // for attempts of other users; empty: socket_path
    std::string sandbox_door = {};     // folder of the socket for sandboxed attempts; empty: none can start
    /// What is never shown in a sandbox, for a job's user with that home.
    std::function<std::vector<std::string>(const std::string& home)> own_places = {};
    /// Provides the function that builds a prompt from the job's template; calls back on the loop.
    std::function<void(const JobState&, std::function<void(PromptBuild)>)> prompt = {};
    std::string limits = {};                           // see LaunchPlaces
    std::shared_ptr<const LimitCgroups> cgroups = {};  // see LaunchPlaces
    Hash env_key = {};                                 // see LaunchPlaces
    SecretBook* secrets = nullptr;                     // outlives the workers
    /// Whether programs of this agent write their output line by line.
    std::function<bool(const std::string& agent)> line_buffered = {};
  };
  /// The attempt has a luzia-run.
  using Launched = std::function<void(const JobState& job, const Claim& claim)>;
  /// `attempts`, `signals` and `log` must outlive it.
  Launches(Setting setting, AttemptContext& attempts, const AttemptSignals& signals, const EventLog& log,
           Launched launched)
      : setting_(std::move(setting)),
        attempts_(attempts),
        signals_(signals),
        log_(log),
        launched_(std::move(launched)),
        launcher_(setting_.runner_program) {}

  /// Idempotent: an attempt that is claimed already is only looked up.
  void begin(const JobState& job);
  /// Takes the run files of an attempt that is over, for reuse by the next. False: there are enough.
  bool reuse(SpentAttempt spent);

 private:
  void launch(const std::shared_ptr<JobState>& state);
  void launch_with(const std::shared_ptr<JobState>& state, PromptBuild build);
  /// Uses up an entry of spent_.
  LaunchPlaces places_of(const JobState& job, PromptBuild build);
  void done(const std::shared_ptr<JobState>& state, const Result<Claim>& claim);

  /// Of the workers, so that programs that hang leave some for everything else.
  static constexpr std::size_t kMostSlow = 3;
  Setting setting_;
  Turns slow_{kMostSlow};  // launches that run programs for secrets first
  AttemptContext& attempts_;
  const AttemptSignals& signals_;
  const EventLog& log_;
  Launched launched_;
  Launcher launcher_;
  std::vector<SpentAttempt> spent_;           // the next daemon removes them
  std::set<std::string> short_of_resources_;  // jobs with a failed launch that is retried and was reported
};

}  // namespace luzia
