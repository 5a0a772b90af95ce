// One machine of the simulated fleet: its daemon's lives, its processes and its log, on a clock of its own,
// and what its luzia-fleet asks that daemon. One thread at a time.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "engine/base/ids.h"
#include "protocol.fb.h"
#include "tests/simulation/daemon_life.h"
#include "tests/simulation/log_rules.h"
#include "tools/luzia-fleet/order_ports.h"

namespace luzia::test {

class SimulatedSite {
 public:
  /// `number`: another for each machine. `has_beta`: whether its configuration has the project beta.
  SimulatedSite(Dice& dice, std::string name, std::uint16_t number, TimeUs now, bool has_beta);
  /// The machine of `lost`, after its store was restored from a backup of that position, and a reboot.
  SimulatedSite(const SimulatedSite& lost, Position backup);

  /// A random step of the daemon or of the machine; what it did, or "".
  std::string step();
  /// All that is to be done; agents end.
  void calm_step();
  /// kill -9 of the daemon, and its next start.
  void crash();
  void reboot();
  void step_clock(TimeUs by);
  void pass(TimeUs time);
  /// Dispatches a job here. `targeted`: orders may be about it; else nobody stops it.
  std::string queue(bool targeted);
  void rename(std::string name) { name_ = std::move(name); }

  const std::string& name() const { return name_; }
  int life() const { return life_; }
  const MemoryEventLog& log() const { return around_->log; }
  const std::map<std::string, JobState>& jobs() const { return rules_->jobs(); }
  const std::set<std::string>& targets() const { return targets_; }
  /// Each order's jobs that ever got a process here.
  const std::map<std::string, std::set<std::string>>& started() const { return started_; }
  /// The first rule that was broken, or "".
  std::string check();
  std::string check_end();

  // Questions of luzia-fleet. The answer comes with a later step, or never if the daemon is killed.
  void ask(const wire::RequestUnion& request, std::function<void(Result<wire::ReplyUnion>)> answer);
  void held_jobs(std::function<void(Result<std::vector<HeldJob>>)> answer);
  void project_of(const std::string& job, std::function<void(Result<std::optional<std::string>>)> answer);
  void room(std::uint32_t slots, std::function<void(Result<JobRoom>)> answer);

 private:
  std::string agent_acts();
  void dispatch(const wire::DispatchJobT& job, CommandMeta meta, Reply reply);
  QueueJob queue_job(const std::string& id, const std::string& project) const;

  Dice& dice_;
  std::string name_;
  bool has_beta_;
  IdSource ids_;
  std::unique_ptr<Surroundings> around_;
  std::unique_ptr<LogRules> rules_;
  std::unique_ptr<DaemonLife> daemon_;
  int life_ = 0;
  std::uint16_t number_;
  std::set<std::string> own_, targets_;        // jobs that were dispatched here
  std::map<std::string, std::string> orders_;  // of each job that an order queued
  std::map<std::string, std::set<std::string>> started_;
  std::size_t attempts_seen_ = 0;
};

}  // namespace luzia::test
