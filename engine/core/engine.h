// The engine: takes commands one after another, decides, hands events to the committer, holds replies back
// until they are true on disk, and names the effects that are due. Single-threaded (the loop); no I/O of its
// own.
//
//   submit -> decide -> evolve + add to open group -> flush -> (fsync) -> committed -> replies, effects
//
// Decisions are made on state that includes groups in flight, so every answer, a refusal as much as an
// acceptance, waits until all groups decided before it are durable.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/commit/committer.h"
#include "engine/flow/flow.h"
#include "engine/job/job.h"
#include "engine/learning/learning.h"
#include "engine/queue/scheduler.h"

namespace luzia {

/// Who asks, when, and under which id. `now` is wall time read once at intake.
struct CommandMeta {
  std::string command_id;  // empty: not repeatable, no record kept
  Hash digest{};           // of the command's content; the same id with another digest is refused
  schema::ActorKind actor = schema::ActorKind::daemon;
  std::uint32_t uid = 0;
  std::string actor_name;
  Position cause = 0;
  TimeUs now = 0;
};

/// Answer to a command: the ids it concerned and the last position decided with it.
struct Outcome {
  std::vector<std::string> ids;
  Position position = 0;
  bool repeated = false;
  bool known = false;  // of what was learned: nothing new had to be recorded
};
using Reply = std::function<void(Result<Outcome>)>;

/// Port: what the engine needs to know of the past beyond its own memory. Loop thread. Where the past cannot
/// be read a command is refused and changes nothing: to take what was not found for what never was could
/// carry out a command twice.
class History {
 public:
  virtual ~History() = default;
  struct Command {
    Hash digest;
    Position position;
    std::vector<std::string> ids;
  };
  virtual Result<std::optional<Command>> find_command(std::uint32_t uid, const std::string& command_id) = 0;
  /// A job that has left memory, folded from its stream; nullopt if there never was one.
  virtual Result<std::optional<JobState>> load_job(const std::string& job) = 0;
  /// A flow that is not in memory, as it stands now; nullopt if there never was one.
  virtual Result<std::optional<Flow>> load_flow(const std::string& flow) = 0;
  /// A solution or fact that is not in memory, as its stream stands now; version 0 if there never was one.
  virtual Result<Lesson> load_lesson(const std::string& stream) = 0;
  /// Version of the last event of any other stream ("system", "project/x").
  virtual Result<std::uint64_t> stream_version(const std::string& stream) = 0;
};

struct JobOrder {
  std::string job;
  JobCommand command;
};
struct QueueOrder {
  std::string project;  // empty: everything
  bool pause;
  std::string note;
  std::string agent = {};  // resumes this agent, before its usage limit is over, and nothing else
  bool budget = false;     // lets the project go on over its budget of this day, and nothing else
};
/// No new starts, what runs goes on to its end; or the end of that.
struct DrainOrder {
  bool drain;
  std::string note;
};
struct FlowOrder {
  std::string flow;
  FlowCommand command;
};
/// What is learned or unlearned, by stream: all or nothing.
struct LearningOrder {
  std::vector<std::pair<std::string, LearningCommand>> commands;
};
/// Tools that a project offers to agents, as its settings name them.
struct CatalogueOrder {
  std::string project;
  std::vector<schema::ToolCataloguedT> tools;
};
/// A fact about the daemon or its machine, for stream "system".
struct SystemNote {
  std::variant<schema::SystemFactUnion, schema::AlertFactUnion> fact;
};
/// A batch of job orders is all or nothing.
using Command = std::variant<std::vector<JobOrder>, QueueOrder, SystemNote, FlowOrder, LearningOrder,
                             CatalogueOrder, DrainOrder>;

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

  /// Start: a live job as core views know it. Before resume().
  void load(JobState job);
  void load(Flow flow);
  void load_queue_switch(const std::string& project, bool paused);
  void load_breaker(const schema::BreakerOpenedT& fact);
  void load_agent_limit(const schema::AgentParkedT& fact);
  void load_drain() { queue_.set_draining(true); }
  void load_spending(view::ProjectSpendingT row) { queue_.spending().load(std::move(row)); }
  /// Start: everything loaded is durable up to `tip`; names the pending effects.
  void resume(Position tip, TimeUs now);

  void submit(const CommandMeta& meta, Command command, Reply reply);
  /// Why that flow would be refused now; nothing is changed.
  Status try_new_flow(const CommandMeta& meta, const std::string& id, CreateFlow command);
  /// `flow_active`: a flow that has not ended still tells of the job, which did one of its steps.
  Status may_remove(const JobState& job);
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
  const Spending& spending() const { return queue_.spending(); }
  /// By DrainOrder, or loaded.
  bool draining() const { return queue_.draining(); }

  const JobState* find_live(std::string_view job) const;
  const Flow* find_live_flow(std::string_view flow) const;
  /// Steps of the flow that are to be handed over as jobs now.
  std::vector<std::string> ready_steps(const Flow& flow, TimeUs now) const;
  const std::map<std::string, JobState, std::less<>>& live_jobs() const { return live_; }
  /// Forgets ended jobs and command ids that the core views hold since `cursor`.
  void views_reached(Position cursor);
  std::size_t queued() const { return queue_.queued(); }
  std::size_t running() const { return queue_.running(); }
  Position durable() const { return durable_; }
  bool failed() const { return failed_.has_value(); }

 private:
  struct Held {
    Position after;
    std::function<void(Status)> release;
  };
  struct Named {
    std::uint32_t attempt = 0;
    std::set<std::pair<EffectKind, std::string>> kinds;  // with the request it is about, if any
  };
  /// One event ready for the log, and the job or flow it belongs to (null: another stream).
  struct Staged {
    std::string encoded;
    std::vector<Blob> blobs;
    JobState* job;
    Flow* flow = nullptr;                           // the event's, if it is a flow's
    std::optional<schema::JobQueuedT> queued = {};  // the fact once more, if it is this one
  };

  Result<Outcome> execute(const CommandMeta& meta, Command& command);
  std::optional<Result<Outcome>> answered_before(const CommandMeta& meta);
  Result<Outcome> order_jobs(const CommandMeta& meta, std::vector<JobOrder>& orders);
  Result<Outcome> order_queue(const CommandMeta& meta, const QueueOrder& order);
  Result<Outcome> resume_agent(const CommandMeta& meta, const QueueOrder& order);
  /// What an order means for its agent: an attempt that ended by a usage limit parks it, a person who lets
  /// such a job go on knows that the limit is over.
  void note_agent_limit(const JobState& job, const std::vector<NewEvent>& events, bool lets_go_on,
                        std::vector<schema::QueueFactUnion>& facts) const;
  Status stage_agent_facts(const CommandMeta& meta, const std::vector<schema::QueueFactUnion>& facts,
                           std::vector<Staged>& staged);
  void take_agent_facts(const std::vector<schema::QueueFactUnion>& facts);
  void unpark_due_agents(TimeUs now);
  void cut_agent_limits(TimeUs now, Position cause);
  /// A fact about the queue, on its project's stream or the system's.
  template <class Fact>
  Status stage_queue(const CommandMeta& meta, Fact fact, std::vector<Staged>& staged);
  template <class Fact>
  bool note_queue(const CommandMeta& meta, Fact fact);
  void note_outcomes(TimeUs now);
  void close_due_breakers(TimeUs now);
  void shift_breakers(TimeUs by, TimeUs now, Position cause);
  Result<Outcome> order_drain(const CommandMeta& meta, const DrainOrder& order);
  Result<Outcome> lift_budget(const CommandMeta& meta, const QueueOrder& order);
  void note_budgets(TimeUs now);
  void stop_over_budget(TimeUs now, Position cause);
  // Flows (engine_flows.cc). A draft is the flow as it will be when what is staged is appended.
  struct FlowDraft {
    Flow* flow = nullptr;
    Flow draft;
  };
  using FlowDrafts = std::map<std::string, FlowDraft>;
  Result<Outcome> order_flow(const CommandMeta& meta, FlowOrder& order);
  Result<Flow*> flow_to_change(const std::string& flow);
  Status stage_flow(const CommandMeta& meta, const std::string& flow, FlowCommand command,
                    std::vector<Staged>& staged, FlowDrafts& drafts);
  /// What one order's events of a job mean for its step: read before these are staged, staged after them.
  struct FlowNotes {
    std::string flow;
    std::vector<FlowCommand> commands;
    bool new_job = false;
  };
  static FlowNotes notes_for_flow(const JobState& job, const std::vector<NewEvent>& events);
  /// Refused only where a new job is, or one that is retried has its gate before it.
  Status stage_notes(const CommandMeta& meta, FlowNotes notes, std::vector<Staged>& staged,
                     FlowDrafts& drafts);
  void after_flow_changes(const FlowDrafts& drafts);
  void name_ready_steps(TimeUs now);
  void shift_flows(TimeUs by, TimeUs now, Position cause);
  void forget_ended_flows(Position cursor);
  // What was learned (engine_learning.cc).
  Result<Outcome> order_learning(const CommandMeta& meta, LearningOrder& order);
  Result<Outcome> catalogue(const CommandMeta& meta, CatalogueOrder& order);
  Result<Lesson> lesson_of(const std::string& stream);
  void forget_lessons(Position cursor);
  /// What orders of jobs come to, before anything of it is appended.
  struct JobsDraft {
    std::vector<Staged> staged;
    std::vector<std::string> created;  // jobs that are forgotten again when it comes to nothing
    std::vector<JobState*> changed;
    std::vector<schema::QueueFactUnion> agent_facts;
    FlowDrafts flows;
  };
  Result<JobState*> job_of_order(JobOrder& order, JobsDraft& draft);
  Status stage_order(const CommandMeta& meta, JobOrder& order, JobsDraft& draft);
  Result<Outcome> note_system(const CommandMeta& meta, const SystemNote& note);
  Status settle_dependencies(QueueJob& order);
  Result<JobState*> job_to_change(const JobOrder& order);
  /// Whether it was taken; a refusal is told of.
  bool order_internally(const std::string& job, JobCommand command, TimeUs now, Position cause);
  void tell_refusal(const std::string& stream, const Status& done);
  void queue_fact_noted(const CommandMeta& meta, const std::string& stream, const Status& done);

  /// `version` 0: the next one of a stream that is neither a job's nor a flow's nor a lesson's.
  Status stage(const CommandMeta& meta, NewEvent event, std::uint64_t version, JobState* job,
               std::vector<Staged>& staged, Flow* flow = nullptr);
  static Status fits_one_group(const std::vector<Staged>& staged);
  void append(std::vector<Staged>& staged);
  void after_change(JobState& job, Position first, TimeUs now);
  void await_dependencies(const JobState& job, TimeUs now);
  struct DependencyOver {
    std::string job;
    schema::JobState state;
    Position cause;
    TimeUs now;
  };
  void tell_dependants(DependencyOver over);
  void rearm(const JobState& job);
  void arm(const std::string& job, TimeUs due);
  void look_at_deadline(const std::string& job, TimeUs now);
  void start_ready(TimeUs now);
  void look_at_touched();
  void name_effects(const JobState& job);
  void release_held();
  Position last_decided() const { return committer_.next_position() - 1; }

  Options options_;
  Committer& committer_;
  History& history_;
  Hooks hooks_;
  std::map<std::string, JobState, std::less<>> live_;           // not terminal, or not yet in the core views
  std::map<std::string, Flow, std::less<>> flows_;              // active, or not yet in the core views
  std::deque<std::pair<Position, std::string>> touched_flows_;  // to look at once durable
  std::set<std::string> flows_to_name_;  // durable; their steps are named in the next turn
  std::map<std::string, std::set<std::string>> steps_named_;  // by flow: those that step_ready was told of
  std::map<std::string, TimeUs> delayed_flows_;               // when to look at them again
  std::deque<std::pair<Position, std::string>> ended_flows_;  // leave memory once in the core views
  std::map<std::string, Lesson> lessons_;                     // by stream; changed, and not yet in the views
  std::deque<std::pair<Position, std::string>> changed_lessons_;
  Queue queue_;
  bool queue_changed_ = true;
  std::set<std::pair<TimeUs, std::string>> deadlines_;
  std::unordered_map<std::string, TimeUs> deadline_of_;
  TimeUs queue_waits_until_ = 0;         // what is due of breakers and agents' limits: a fact was refused
  std::set<std::string> refusals_told_;  // streams
  std::unordered_map<std::string, std::set<std::string>> dependants_;
  std::deque<DependencyOver> overs_to_tell_;  // one end fails the next job of a chain, which ends too
  bool telling_ = false;
  std::deque<Held> held_;
  std::deque<std::pair<Position, std::string>> touched_;       // jobs to look at once durable
  std::vector<std::pair<Position, AttemptOutcome>> outcomes_;  // since the breakers were last told
  std::deque<std::pair<Position, std::string>> ended_;  // jobs that leave memory once in the core views
  std::map<std::pair<std::uint32_t, std::string>, History::Command> recent_commands_;
  std::deque<std::pair<Position, std::pair<std::uint32_t, std::string>>> recent_order_;
  std::unordered_map<std::string, std::uint64_t> versions_;  // of streams that are not jobs
  std::unordered_map<std::string, Named> effects_named_;     // by job
  Position durable_ = 0;
  double warn_fraction_ = 0;
  bool winding_up_ = false;
  bool recovering_ = false;
  std::optional<Error> no_new_jobs_;
  std::optional<Error> failed_;
  flatbuffers::FlatBufferBuilder builder_;
};

}  // namespace luzia
