// Lets agents whose login is refused go on, once somebody has logged in again: every few seconds it checks
// whether a file of the agent's login, or one with a secret of the job, has changed since the refused attempt
// began. While an agent waits, one alert says so, however many of its jobs do. A variable of the daemon's
// environment can only change with a restart, so a new daemon lets all of them try once. Loop thread.
//
// Rejected: asking the agent whether it is logged in. Of the six that are built in, two can say, and neither
// asks its service.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/config/config.h"
#include "engine/core/engine.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/loop.h"

namespace luzia {

/// The alerts are called this, a colon and the agent's name.
inline constexpr char kLoginRefused[] = "login_refused";

class LoginWatch final : public Follower {
 public:
  /// All must outlive this; the content of `config` may change.
  LoginWatch(uv_loop_t* loop, const Config& config, Engine& engine, std::function<void(SystemNote)> note);

  /// The daemon starts. `open`: the alerts that earlier daemons left open.
  void begin(const std::vector<view::AlertT>& open);
  void job_changed(const JobState& job) override;
  void committed(const std::shared_ptr<const Group>& group) override;
  void close() override { timer_.reset(); }

 private:
  struct Waiting {
    std::string attempt;             // of attempt_of(): the one that waits
    std::vector<std::string> files;  // paths, whether they exist or not
    std::string before, last;        // what they looked like when the agent was parked, and at the last check
    bool is_early = false;           // somebody may have logged in before that: let go on at the next check
  };
  std::string attempt_of(const schema::AgentParkedT& parked) const;
  void begin_waiting(const schema::AgentParkedT& parked);
  bool is_early_login(const schema::AgentParkedT& parked, const std::string& look);
  void end_waiting(const std::string& agent);
  void look();
  void let_go_on(const std::string& agent, std::string why);

  const Config& config_;
  Engine& engine_;
  std::function<void(SystemNote)> note_;
  std::unique_ptr<Timer> timer_;  // runs while an agent waits; null once closed
  std::map<std::string, Waiting> waiting_;
  // By job with a process: what its login looked like at the start; nullopt: an earlier daemon started it.
  // Not here: its agent has no login that is a file.
  std::map<std::string, std::optional<std::string>> at_start_;
  std::vector<std::string> ended_;  // jobs of at_start_ whose attempt the present group ends
  std::map<std::string, std::chrono::steady_clock::time_point>
      early_logins_;  // by agent: when it last was one
};

}  // namespace luzia
