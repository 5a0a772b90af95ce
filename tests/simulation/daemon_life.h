// One life of the simulated daemon: committer, engine, views, and the shell that runs effects and follows
// attempts. The caller does every step. Destroying the object is kill -9. The shell keeps the event order of
// luziad's Attempts: claim, start, exit record, end, claim removed.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "adapters/memory/memory_event_log.h"
#include "adapters/memory/memory_view_store.h"
#include "engine/core/engine.h"
#include "engine/view/fold.h"
#include "projections/store_history.h"
#include "tests/simulation/dice.h"
#include "tests/simulation/virtual_machine.h"

namespace luzia::test {

/// What outlives a daemon.
struct Surroundings {
  MemoryEventLog log;
  MemoryViewStore views;
  VirtualMachine machine;
  Capacity capacity;
  TimeUs now = 0;
  std::size_t handed_over = 0;  // jobs dispatched for flow steps so far
  std::size_t scheduled = 0;    // ids given to jobs of schedules so far
  std::vector<ToJob> reports;   // every report ever made to an engine, to be repeated late and in any order
};

class DaemonLife {
 public:
  /// Starts as luziad does: catches up the views, loads live jobs, resumes pending effects, adopts processes.
  DaemonLife(Surroundings& around, Dice& dice);

  Engine& engine() { return *engine_; }
  bool all_durable() const { return engine_->durable() == committer_->next_position() - 1; }

  // Steps. Each returns a description of what it did, or "" if there was nothing to do.
  std::string write_group();
  std::string write_group_failing(bool stored_all_the_same);
  std::string deliver_outcome();
  std::string fold_group();
  std::string carry_out_effect();
  std::string hand_over_step();
  std::string look_at_schedules();
  std::string escalate();
  std::string stop_at_limit();
  std::string see_new_login();
  std::string notice_process();
  std::string read_output();
  std::string tell_end();
  std::string repeat_report();

  /// Reports to the engine and remembers the report for repetitions.
  void report(const std::string& job, JobCommand command);
  const std::string& broken_rule() const { return broken_rule_; }

 private:
  RecordOutput::Finding usage_limit(std::uint32_t attempt);
  RecordOutput::Finding used_tokens(std::uint32_t attempt);
  RecordOutput::Finding refused_login(std::uint32_t attempt);
  struct Following {
    std::uint32_t number = 0;
    std::string boot_id;
    bool known = false;  // the claim or the log names the processes
    bool start_told = false, runner_seen_gone = false, ending = false;
    std::uint64_t scanned = 0;
  };
  struct Due {
    Effect effect;
    JobState job;
  };
  void forget_untold();
  void effect_named(const Effect& effect, const JobState& job);
  void job_changed(const JobState& job);
  void step_ready(const Flow& flow, const view::FlowStepT& step);
  void launch(const JobState& job);
  void follow(const JobState& job);
  void adopt(const JobState& job);
  void tell_start(const std::string& job, Following& following);
  void after_record(const std::string& job, Following& following, bool agent_gone);

  Surroundings& around_;
  Dice& dice_;
  StoreHistory history_;
  std::deque<CommitOutcome> outcomes_;
  std::deque<std::shared_ptr<const Group>> to_fold_;
  std::vector<Due> due_;
  std::vector<std::pair<std::string, std::string>> ready_steps_;  // flow, step
  std::vector<ToJob> ends_;  // exits whose output is read to its end before they are reported
  std::map<std::string, Following> following_;
  std::set<std::pair<std::string, std::uint32_t>> launched_;
  std::unique_ptr<Committer> committer_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Fold> fold_;
  std::string broken_rule_;
};

}  // namespace luzia::test
