// Schedules: lets the jobs of [[schedules]] recur, and answers requests about them. Loop thread.
//
// When a time is due, the event that settles it and the job are one group of the log (engine/schedule). So a
// daemon killed at any point dispatches once. Due times that passed while none ran, or while the machine
// slept, are found by the state: it holds the first one that is not settled.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "adapters/config/schedule_rules.h"
#include "engine/schedule/due_times.h"
#include "tools/luziad/base/desk.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/intake/intake.h"

namespace luzia {

class Schedules final : public Follower {
 public:
  Schedules(const Threads& threads, const Desk& desk, Intake& intake)
      : threads_(threads), desk_(desk), intake_(intake), timer_(std::make_unique<Timer>(threads.loop)) {}

  /// The ends of jobs while no daemon ran are known: from now on due times are settled.
  void begin();
  Status act(const RequestId& to, const Caller& caller, const wire::ActOnSchedule& request);

  void config_changed() override;
  void job_changed(const JobState& job) override;
  void clock_stepped(TimeUs step) override;
  void close() override { timer_.reset(); }

 private:
  const Schedule* find(const std::string& name) const;
  /// The rule with the moment from which it counts; null: it cannot be read.
  const Recurrence* rule_of(const std::string& name);
  /// Reads the rules of the configuration.
  void read_rules();
  /// Records which schedules there are.
  void set_all();
  void look();
  /// Looks once more: at the next due time, after an error, at least every minute.
  void arm(TimeUs now);
  /// `config`: a copy, because a job that is built may cause the configuration to be read again.
  void settle(const std::string& name, const ScheduleConfig& config, TimeUs now);
  /// Adds the job to the command, or why there can be none. False: that may pass.
  bool add_job(const std::string& name, const ScheduleConfig& config, ToSchedule& item, TimeUs now);
  Result<ToJob> job_of(const std::string& name, const ScheduleConfig& config, const Caller& caller,
                       TimeUs now);
  void submit(ToSchedule item, TimeUs now);
  /// Whether there is one that the caller may see. `no_such_schedule`.
  Status check_known(const Caller& caller, const std::string& name) const;
  /// Whether the caller could dispatch the schedule's job themselves. `user_not_allowed`.
  Status may_run(const Caller& caller, const std::string& project, const ScheduleConfig& config);

  Threads threads_;
  Desk desk_;
  Intake& intake_;
  std::unique_ptr<Timer> timer_;  // null once closed
  std::map<std::string, Result<Recurrence>> rules_;
  std::set<std::string> failing_;  // names whose last dispatch failed, which was reported
  bool begun_ = false, config_changed_ = true;
};

}  // namespace luzia
