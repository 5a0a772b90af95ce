// The engine: takes commands one after another, decides, hands events to the committer, holds replies back
// until they are true on disk, and names the effects that are due. Single-threaded (the loop); no I/O of its
// own. It keeps the jobs itself; flows, lessons and the queue are kept by books of their own, events are
// staged and appended by GroupWriter, and replies wait with Answers.
//
//   submit -> decide -> evolve + add to open group -> flush -> (fsync) -> committed -> replies, effects
//
// Decisions are made on state that includes groups in flight, so every answer, a refusal as much as an
// acceptance, waits until all groups decided before it are durable.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/core/answers.h"
#include "engine/core/deadlines.h"
#include "engine/core/flow_book.h"
#include "engine/core/lesson_book.h"
#include "engine/core/queue_book.h"

namespace luzia {

class Engine {
 public:
  struct Options {
    std::string site;
    std::string boot_id;
    Capacity capacity;
  };
  struct Hooks {
    /// An effect is due and its order is durable. Called again after a crash; never twice in one life for the
    /// same (kind, job, attempt).
    std::function<void(const Effect&, const JobState&)> effect;
    /// The job's durable state changed (rows for people, waiters).
    std::function<void(const JobState&)> job_changed;
    /// A step of a flow that runs is to be handed over as a job. Called again after a crash; idempotent,
    /// since a second job for the step is refused.
    std::function<void(const Flow&, const view::FlowStepT&)> step_ready = {};
    /// What the engine ordered by itself was refused; told once of a stream until something of it is taken.
    /// What was due is looked at again, not at once.
    std::function<void(const std::string& stream, const Error&)> order_refused = {};
  };

  Engine(Options options, Committer& committer, History& history, Hooks hooks);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Start: a live job as core views know it. Before resume().
  void load(JobState job);
  void load(Flow flow) { flows_.load(std::move(flow)); }
  void load_queue_switch(const std::string& project, bool paused) { queue().set_paused(project, paused); }
  void load_breaker(const schema::BreakerOpenedT& fact) { queue().breakers().opened(fact); }
  void load_agent_limit(const schema::AgentParkedT& fact) { queue().agent_limits().parked(fact); }
  void load_drain() { queue().set_draining(true); }
  void load_spending(view::ProjectSpendingT row) { queue().spending().load(std::move(row)); }
  /// Start: everything loaded is durable up to `tip`; names the pending effects.
  void resume(Position tip, TimeUs now);

  void submit(const CommandMeta& meta, Command command, Reply reply);
  /// Why that flow would be refused now; nothing is changed.
  Status try_new_flow(const CommandMeta& meta, const std::string& id, CreateFlow command);
  /// `flow_active`: a flow that has not ended still tells of the job, which did one of its steps.
  Status may_remove(const JobState& job) { return flows_.may_remove(job); }
  /// `then` runs when everything decided so far is durable (reads), or gets the commit's error.
  void when_durable(std::function<void(Status)> then);
  /// Starts what the scheduler allows, then hands the open group to the commit thread. After each loop turn.
  void turn(TimeUs now);
  /// A group's fate, brought to the loop thread.
  void committed(const CommitOutcome& outcome);
  /// Moments that have come: deadlines of jobs, and starts that had to wait.
  void time_passed(TimeUs now);
  /// When to call time_passed() next; 0 = never.
  TimeUs next_deadline_after(TimeUs now) const;
  void set_capacity(Capacity capacity);
  /// From which part of its estimate or time limit on an attempt is warned about; 0 (as at first): never.
  void warn_of_duration(double fraction);
  /// Why a queued job has not started yet; nullopt: it is not queued, or not known.
  std::optional<Waiting> why_waiting(std::string_view job, TimeUs now) const;
  /// The same without who comes first and who runs: cheap, for many jobs.
  std::optional<Waiting> wait_reason(std::string_view job, TimeUs now) const;
  /// From now on new jobs are refused with this error; nullopt: taken again, and steps of flows are named
  /// once more. Repeats are answered as ever.
  void refuse_new_jobs(std::optional<Error> why);
  /// The wall clock stepped by `step`: open deadlines move with it.
  void clock_stepped(TimeUs step, TimeUs now);
  /// Nothing is started or handed over from now on: the daemon stops.
  void wind_up();
  /// What each project has used of its budgets of the day.
  const Spending& spending() const { return queue().spending(); }
  /// By DrainOrder, or loaded.
  bool draining() const { return queue().draining(); }

  const JobState* find_live(std::string_view job) const;
  const Flow* find_live_flow(std::string_view flow) const { return flows_.find(flow); }
  /// Steps of the flow that are to be handed over as jobs now.
  std::vector<std::string> ready_steps(const Flow& flow, TimeUs now) const {
    return flows_.ready_steps(flow, now);
  }
  const std::map<std::string, JobState, std::less<>>& live_jobs() const { return live_; }
  /// Forgets ended jobs and command ids that the core views hold since `cursor`.
  void views_reached(Position cursor);
  std::size_t queued() const { return queue().queued(); }
  std::size_t running() const { return queue().running(); }
  Position durable() const { return answers_.durable(); }
  bool failed() const { return answers_.failed().has_value(); }

 private:
  struct Named {
    std::uint32_t attempt = 0;
    std::set<std::pair<EffectKind, std::string>> kinds;  // with the request it is about, if any
  };
  /// What orders of jobs come to, before anything of it is appended.
  struct JobsDraft {
    std::vector<StagedEvent> staged;
    std::vector<std::string> created;  // jobs that are forgotten again when it comes to nothing
    std::vector<JobState*> changed;
    std::vector<schema::QueueFactUnion> agent_facts;
    FlowDrafts flows;
  };
  struct DependencyOver {
    std::string job;
    schema::JobState state;
    Position cause;
    TimeUs now;
  };

  Queue& queue() { return queue_.queue(); }
  const Queue& queue() const { return queue_.queue(); }

  Result<Outcome> execute(const CommandMeta& meta, Command& command);
  Result<Outcome> order_jobs(const CommandMeta& meta, std::vector<JobOrder>& orders);
  Result<Outcome> note_system(const CommandMeta& meta, const SystemNote& note);
  /// Whether it was taken; a refusal is told of.
  bool order_internally(const std::string& job, JobCommand command, TimeUs now, Position cause);
  // Orders of jobs.
  Result<JobState*> job_to_change(const JobOrder& order);
  Result<JobState*> job_of_order(JobOrder& order, JobsDraft& draft);
  Status settle_dependencies(QueueJob& order);
  Status stage_order(const CommandMeta& meta, JobOrder& order, JobsDraft& draft);
  /// Of each event that is appended.
  void take(StagedEvent& event, Position position);
  void after_change(JobState& job, Position first, TimeUs now);
  void await_dependencies(const JobState& job, TimeUs now);
  void tell_dependants(DependencyOver over);
  // Turns and time.
  void rearm(const JobState& job) { deadlines_.set(job.job, next_deadline(job, warn_fraction_)); }
  void look_at_deadline(const std::string& job, TimeUs now);
  void stop_over_budget(TimeUs now, Position cause);
  void start_ready(TimeUs now);
  void look_at_touched();
  void name_effects(const JobState& job);

  Options options_;
  History& history_;
  Hooks hooks_;
  Refusals refusals_;
  Answers answers_;
  GroupWriter writer_;
  QueueBook queue_;
  FlowBook flows_;
  LessonBook lessons_;
  std::map<std::string, JobState, std::less<>> live_;  // not terminal, or not yet in the core views
  Deadlines deadlines_;
  std::unordered_map<std::string, std::set<std::string>> dependants_;
  std::deque<DependencyOver> overs_to_tell_;  // one end fails the next job of a chain, which ends too
  bool telling_ = false;
  std::deque<std::pair<Position, std::string>> touched_;  // jobs to look at once durable
  std::deque<std::pair<Position, std::string>> ended_;    // jobs that leave memory once in the core views
  std::unordered_map<std::string, Named> effects_named_;  // by job
  double warn_fraction_ = 0;
  bool winding_up_ = false;
  bool recovering_ = false;
  std::optional<Error> no_new_jobs_;
};

}  // namespace luzia
