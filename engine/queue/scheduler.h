// The scheduler: which queued jobs start now, in which order, and why the others wait. Pure.
//
// Order: higher levels first; within a level, jobs of the project that runs less in relation to its share;
// then first come, first served. A job's level is its priority plus one for each `ageing` that it has waited,
// up to 9, so no job waits for ever behind later ones.
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

/// Limits of what runs at once. A limit counts attempts with a process, including starting ones; with
/// `waiting_holds_slot` also those that wait for a person. 0: no limit, except for max_running. An attempt
/// that gets its answer continues at once, even beyond the limit; then nothing new starts until fewer run
/// than the limit.
struct Capacity {
  std::uint32_t max_running = 2;
  std::uint32_t max_per_project = 0, max_per_agent = 0;
  /// Limits of single projects, agents and tags, which replace the general limit.
  std::map<std::string, std::uint32_t> of_project = {}, of_agent = {}, of_tag = {};
  bool waiting_holds_slot = true;
  std::map<std::string, std::uint32_t> share = {};  // a project's weight against others, > 0; default 1
  TimeUs ageing = 0;                                // 0: jobs do not age
  BreakerRules breaker = {};
  DayBudgets day_budgets = {};
  std::string closed = {};   // why nothing starts at all; empty: open
  std::string no_room = {};  // the same if a disk has no space
  bool operator==(const Capacity&) const = default;
};

/// The first thing that a queued job waits for. `subjects`: the jobs it depends on, what the limit belongs
/// to, or why nothing starts.
using view::WaitsFor;
struct Waiting {
  WaitsFor what;
  std::vector<std::string> subjects = {};
  std::uint32_t limit = 0;  // of *_limit, and of turn if all slots are taken; otherwise its turn is next
  TimeUs until = 0;
  /// Number of startable jobs ahead of it at present. For *_limit: those of the same project, agent or tag.
  std::size_t ahead = 0;
  /// `first_ahead` has the first kNamed of them, `work_ahead` the work of the first kEstimated; in the order
  /// of start.
  static constexpr std::size_t kNamed = 5;
  static constexpr std::size_t kEstimated = 250;
  struct Work {
    std::string project, agent;
    std::size_t further = 0;  // how many more of it are ahead
  };
  struct Ahead {
    std::uint32_t work = 0;         // index in `works`
    std::uint64_t estimate_ms = 0;  // its own estimate; 0: none given
  };
  std::vector<std::string> first_ahead = {};
  std::vector<Ahead> work_ahead = {};
  std::vector<Work> works = {};
  std::vector<std::string> running = {};  // jobs that hold the slots it waits for
  std::vector<std::string> asking = {};   // those of them that wait for a person
};

/// Queued jobs, kept current by note(). Costs grow with the logarithm of the number of queued jobs. Starting
/// a job also costs time for each kind: jobs of the same project, agent, priority and limited tags.
class Queue {
 public:
  explicit Queue(Capacity capacity = {}) : capacity_(std::move(capacity)), breakers_(capacity_.breaker) {
    spending_.set_budgets(capacity_.day_budgets);
  }
  void set_capacity(Capacity capacity);
  const Capacity& capacity() const { return capacity_; }
  /// Call after every evolve() of the job.
  void note(const JobState& job);
  void set_paused(const std::string& project, bool paused);  // empty project: the whole queue
  bool paused(const std::string& project) const { return paused_.contains(project); }
  /// During a drain nothing starts.
  void set_draining(bool draining) { draining_ = draining; }
  bool draining() const { return draining_; }
  /// Jobs of a project with an open breaker do not start.
  Breakers& breakers() { return breakers_; }
  const Breakers& breakers() const { return breakers_; }
  /// Jobs of an agent whose usage limit is reached do not start.
  AgentLimits& agent_limits() { return agent_limits_; }
  const AgentLimits& agent_limits() const { return agent_limits_; }
  /// Jobs of a project whose daily budget is used up do not start.
  Spending& spending() { return spending_; }
  const Spending& spending() const { return spending_; }

  /// Jobs to start at `now`, in order, as far as capacity allows.
  std::vector<std::string> starts(TimeUs now);
  std::size_t queued() const { return place_.size(); }
  std::size_t running() const { return running_.size(); }
  /// The earliest start time after `now` of a queued job that could otherwise start; 0: none.
  TimeUs next_start_time(TimeUs now) const;
  /// Why the job does not start, without the jobs ahead and running; nullopt: it is not queued.
  std::optional<Waiting> reason(const JobState& job, TimeUs now) const;
  /// The same with them. Costs time for each kind and for each job that is listed.
  std::optional<Waiting> why(const JobState& job, TimeUs now) const;

 private:
  using Kind = QueueKind;
  using Place = QueuePlace;
  struct Running {
    std::string project, agent;
    std::vector<std::string> tags;
    bool waits = false;  // for a person
  };
  /// How many jobs hold slots, by project, agent and tag.
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
  /// The limit that keeps jobs of this kind from starting; nullopt: none.
  std::optional<Block> blocked(const Kind& kind, const Tally& tally, TimeUs now) const;
  double load(const std::string& project, const Tally& tally) const;
  void name_ahead(const Place& place, const std::optional<Block>& block, TimeUs now, Waiting& waiting) const;
  /// Visits the jobs that hold the slots a blocked job waits for. Without a block, visits all that hold
  /// slots.
  template <class Visit>
  void visit_rivals(const std::optional<Block>& block, Visit visit) const;
  struct Reason {
    Waiting waiting;
    std::optional<Block> block;
    bool waits_for_slot = false;
  };
  Reason reason_of(const JobState& job, const Place& place, TimeUs now) const;

  Capacity capacity_;
  // Every queued job, startable or not. An ordered map, because a new job's id is usually the greatest: its
  // place is found at the end, in memory that was used a moment ago.
  std::map<std::string, Place> place_;
  std::map<Kind, QueueLine> ready_;      // startable, ignoring capacity and pauses
  std::map<TimeUs, QueueLine> delayed_;  // by start time, when they move to ready_
  TimeUs let_in_at_ = 0;                 // `now` of the last let_in()
  std::unordered_map<std::string, Running> running_;
  Tally tally_;  // of running_: those that hold a slot
  std::set<std::string> paused_;
  Breakers breakers_;
  AgentLimits agent_limits_;
  Spending spending_;
  bool draining_ = false;
};

}  // namespace luzia
