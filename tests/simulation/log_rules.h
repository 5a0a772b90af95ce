// The rules that a log of jobs must keep. They are checked event by event as groups become durable, against
// what really happened on the simulated machine. Also folds every stream: the reference for live states.
#pragma once

#include <map>
#include <set>
#include <string>

#include "adapters/memory/memory_event_log.h"
#include "engine/core/engine.h"
#include "tests/simulation/attempt_rules.h"
#include "tests/simulation/flow_rules.h"
#include "tests/simulation/input_rules.h"
#include "tests/simulation/learning_commands.h"
#include "tests/simulation/removal_rules.h"
#include "tests/simulation/schedule_rules.h"
#include "tests/simulation/told_rules.h"
#include "tests/simulation/virtual_machine.h"

namespace luzia::test {

class LogRules {
 public:
  /// Log and machine must outlive it.
  LogRules(const MemoryEventLog& log, VirtualMachine& machine, Capacity capacity)
      : machine_(machine), capacity_(std::move(capacity)), cursor_(log.read_from(1)) {}

  /// Checks the events that became durable since the last call. Returns the first broken rule, or an empty
  /// string.
  const std::string& check();

  Capacity capacity() const { return capacity_; }
  const std::map<std::string, JobState>& jobs() const { return jobs_; }
  const FlowRules& flows() const { return flows_; }
  const LearningRules& learning() const { return learning_; }
  const RemovalRules& removals() const { return removals_; }
  const ScheduleRules& schedules() const { return schedules_; }
  /// How often each rare case occurred.
  struct Seldom {
    std::uint64_t drains = 0, budgets_used_up = 0, imports = 0, escalations = 0, trials = 0,
                  removed_flows = 0, removed_jobs = 0, erased_texts = 0, expired = 0, limits = 0, logins = 0,
                  reroutes = 0, told_by_prompt = 0, told_by_calls = 0, due_runs = 0, missed_due = 0,
                  waiting_due = 0;
  };
  Seldom seldom() const;
  bool knows_command(const std::string& id) const { return commands_.contains(id); }
  /// At the end: checks that the log has an exit for every attempt that the machine ran, with the values of
  /// its exit record.
  std::string check_all_ends() const;

 private:
  struct Ended {
    std::optional<int> code;
    int signal = 0;
    bool lost = false, late = false;
    bool start_error = false;
  };
  using Attempt = std::pair<std::string, std::uint32_t>;

  void take(const schema::Event& event);
  void begins(const JobState& job, const schema::JobEvent& event);
  void take_job_fact(JobState& job, const schema::JobEvent& fact, TimeUs time);
  void starts(const JobState& job, const schema::AttemptStarting& fact, TimeUs time);
  void attempt_ends(const JobState& job, const schema::AttemptEnded& fact);
  void job_ends(const JobState& job, const schema::JobEnded& fact);
  void job_parks(const JobState& job, const schema::JobParked& fact, TimeUs time);
  void reads(const JobState& job, const schema::OutputAppended& fact);
  void take_switch(const schema::QueueEvent& event);
  /// `started`: only the limits that count this job, which has just started; nullptr: all limits.
  void check_limit(const JobState* started);
  void broken(const std::string& words) {
    if (broken_.empty()) broken_ = words;
  }

  VirtualMachine& machine_;
  Capacity capacity_;
  std::unique_ptr<GroupCursor> cursor_;
  Position position_ = 0;
  std::map<std::string, std::uint64_t> versions_;
  std::map<std::string, JobState> jobs_;
  std::set<std::string> commands_, paused_, stopped_, parked_, imported_;
  std::map<std::string, view::ProjectSpendingT>
      spending_;  // by project; the empty name: all projects together
  bool draining_ = false;
  std::uint64_t drains_ = 0, budgets_used_up_ = 0;
  std::map<Attempt, Ended> ends_;
  InputRules inputs_;
  FlowRules flows_;
  LearningRules learning_;
  RemovalRules removals_;
  AttemptRules troubles_;
  ToldRules told_;
  ScheduleRules schedules_;
  std::string broken_;
};

}  // namespace luzia::test
