// The scheduler: which queued jobs start now, in which order, and why the others wait. Pure.
//
// Order: the higher level first, of equal levels the project of which less runs (by its share), then first
// come. A job's level is its priority, one more for each `ageing` that it has waited, up to 9: nothing
// waits for ever behind what comes later.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/job/job.h"
#include "engine/queue/agent_limits.h"
#include "engine/queue/breaker.h"
#include "engine/queue/day_budgets.h"
#include "engine/queue/queue_line.h"

namespace luzia {

/// What may run at once. A limit counts attempts with a process, starting ones included, and those that wait
/// for a person where `waiting_holds_slot`; 0 = no limit, but for max_running. One that gets its answer goes
/// on at once, over the limit too: then nothing new starts until fewer run than that.
struct Capacity {
  std::uint32_t max_running = 2;
  std::uint32_t max_per_project = 0, max_per_agent = 0;
  /// For single ones, in the place of the general limit.
  std::map<std::string, std::uint32_t> of_project = {}, of_agent = {}, of_tag = {};
  bool waiting_holds_slot = true;
  std::map<std::string, std::uint32_t> share = {};  // of a project against others, 1 if not here; > 0
  TimeUs ageing = 0;                                // 0: jobs do not age
  BreakerRules breaker = {};
  DayBudgets day_budgets = {};
  std::string closed = {};   // why nothing at all starts; empty: open
  std::string no_room = {};  // the same, for want of room on a disk
  bool operator==(const Capacity&) const = default;
};

/// What a queued job waits for; of several things the first. `subjects`: jobs it depends on, what the limit
/// is of, or why nothing starts.
using view::WaitsFor;
struct Waiting {
  WaitsFor what;
  std::vector<std::string> subjects = {};
  std::uint32_t limit = 0;  // of *_limit, and of turn where all slots are taken; else its turn comes next
  TimeUs until = 0;
  /// Startable jobs that come first as it looks now; of *_limit: of the same project, agent or tag.
  std::size_t ahead = 0;
  /// The first kNamed of them, and what the first kEstimated will work, both in the order of start.
  static constexpr std::size_t kNamed = 5;
  static constexpr std::size_t kEstimated = 250;
  struct Work {
    std::string project, agent;
    std::size_t further = 0;  // how many of it come first besides
  };
  struct Ahead {
    std::uint32_t work = 0;         // its place in `works`
    std::uint64_t estimate_ms = 0;  // its own; 0: none was given
  };
  std::vector<std::string> first_ahead = {};
  std::vector<Ahead> work_ahead = {};
  std::vector<Work> works = {};
  std::vector<std::string> running = {};  // those that take the slots it waits for
  std::vector<std::string> asking = {};   // of these, those that wait for a person
};

/// Queued jobs, kept current by note(). Costs grow with the logarithm of the number of queued jobs, and a
/// start's with the number of kinds: jobs alike in project, agent, priority and limited tags.
class Queue {
 public:
  explicit Queue(Capacity capacity = {}) : capacity_(std::move(capacity)), breakers_(capacity_.breaker) {
    spending_.set_budgets(capacity_.day_budgets);
  }
  void set_capacity(Capacity capacity);
  const Capacity& capacity() const { return capacity_; }
  /// The job changed; call after every evolve.
  void note(const JobState& job);
  void set_paused(const std::string& project, bool paused);  // empty project: everything
  bool paused(const std::string& project) const { return paused_.contains(project); }
  /// While it drains nothing starts.
  void set_draining(bool draining) { draining_ = draining; }
  bool draining() const { return draining_; }
  /// Jobs of a project with an open breaker do not start.
  Breakers& breakers() { return breakers_; }
  const Breakers& breakers() const { return breakers_; }
  /// Jobs of an agent whose usage limit is reached do not start.
  AgentLimits& agent_limits() { return agent_limits_; }
  const AgentLimits& agent_limits() const { return agent_limits_; }
  /// Jobs of a project whose budget of the day is used up do not start.
  Spending& spending() { return spending_; }
  const Spending& spending() const { return spending_; }

  /// Jobs to start at `now`, in order, as far as the capacity goes.
  std::vector<std::string> starts(TimeUs now);
  std::size_t queued() const { return place_.size(); }
  std::size_t running() const { return running_.size(); }
  /// Earliest not-before time after `now` of a queued job that could otherwise start; 0 = none.
  TimeUs next_start_time(TimeUs now) const;
  /// What keeps the job from starting; nullopt: it is not queued. Without who comes first and who runs.
  std::optional<Waiting> reason(const JobState& job, TimeUs now) const;
  /// The same with these. Costs as much as there are kinds, and jobs whose work is told.
  std::optional<Waiting> why(const JobState& job, TimeUs now) const;

 private:
  using Kind = QueueKind;
  using Place = QueuePlace;
  struct Running {
    std::string project, agent;
    std::vector<std::string> tags;
    bool waits = false;  // for a person
  };
  /// How many take a slot, of what.
  struct Tally {
    std::size_t all = 0;
    std::map<std::string, std::uint32_t> projects, agents, tags;
    void add(const Running& running, int by);
  };
  struct Block {
    WaitsFor what;
    std::string subject;
    std::uint32_t limit;
  };

  Kind kind_of(const JobState& job) const;
  void enter(const Place& place);
  void leave(const Place& place);
  void let_in(TimeUs now);
  void hold_back(TimeUs now);
  void note_running(const JobState& job);
  bool takes_slot(const Running& running) const { return !running.waits || capacity_.waiting_holds_slot; }
  std::uint8_t level(std::uint8_t priority, TimeUs since, TimeUs now) const;
  /// The limit that keeps the kind from starting; nullopt: none does.
  std::optional<Block> blocked(const Kind& kind, const Tally& tally, TimeUs now) const;
  double load(const std::string& project, const Tally& tally) const;
  void name_ahead(const Place& place, const std::optional<Block>& block, TimeUs now, Waiting& waiting) const;
  /// Visits the jobs that take the slots a blocked job waits for, all of them when nothing but its turn does.
  template <class Visit>
  void visit_rivals(const std::optional<Block>& block, Visit visit) const;
  struct Reason {
    Waiting waiting;
    std::optional<Block> block;
    bool waits_for_slot = false;
  };
  Reason reason_of(const JobState& job, const Place& place, TimeUs now) const;

  Capacity capacity_;
  // Every queued job, startable or not. In order, because a new job's id is most often the greatest: its
  // place is found at the end, in memory that was used a moment ago.
  std::map<std::string, Place> place_;
  std::map<Kind, QueueLine> ready_;      // startable but for capacity and pauses
  std::map<TimeUs, QueueLine> delayed_;  // by not-before time: will be ready then
  TimeUs let_in_at_ = 0;                 // the last time that was looked
  std::unordered_map<std::string, Running> running_;
  Tally tally_;  // of running_, those that take a slot
  std::set<std::string> paused_;
  Breakers breakers_;
  AgentLimits agent_limits_;
  Spending spending_;
  bool draining_ = false;
};

}  // namespace luzia
