// The engine takes commands one after another and decides them. It adds the events to the committer's open
// group, holds replies back until they are durable, and names the effects that are due. Loop thread only; no
// I/O of its own.
//
//   submit -> decide -> evolve + add to open group -> flush -> (fsync) -> committed -> replies, effects
//
// The engine keeps the jobs itself. FlowBook, LearningBook, QueueBook and DeviceBook keep flows, learning,
// the queue and devices; GroupWriter stages and appends events; Answers holds replies.
//
// Decisions see state that includes groups not yet on disk. So every answer, refusals included, waits until
// all groups decided before it are durable.
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
#include "engine/core/device_book.h"
#include "engine/core/flow_book.h"
#include "engine/core/learning_book.h"
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
    /// An effect is due, and the event that causes it is durable. Called again after a restart, but only once
    /// in a process for the same (kind, job, attempt).
    std::function<void(const Effect&, const JobState&)> effect;
    /// The job's durable state changed; for whoever waits for it or shows it.
    std::function<void(const JobState&)> job_changed;
    /// A step of an active flow is ready to be dispatched as a job. Called again after a restart, which is
    /// harmless: a second job for the step is refused.
    std::function<void(const Flow&, const view::FlowStepT&)> step_ready = {};
    /// A command from the engine itself was refused. Reported once per stream, until a command to that stream
    /// succeeds. The engine tries again later.
    std::function<void(const std::string& stream, const Error&)> command_refused = {};
  };

  Engine(Options options, Committer& committer, History& history, Hooks hooks);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Start: a live job as the core views hold it. Call before resume().
  void load(JobState job);
  void load(Flow flow) { flows_.load(std::move(flow)); }
  /// Start: for pauses, breakers, limits, the drain and spending as the core views hold them. Use before
  /// resume(); later only commands change the queue.
  Queue& queue_to_load() { return queue_.queue(); }
  /// The paired devices. Load them before resume().
  DeviceBook& devices() { return devices_; }
  /// Start: everything loaded is durable up to `tip`. Names the pending effects.
  void resume(Position tip, TimeUs now);

  void submit(const CommandMeta& meta, Command command, Reply reply);
  /// Why creating that flow would be refused now. Changes nothing.
  Status try_new_flow(const CommandMeta& meta, const std::string& id, CreateFlow command);
  /// Error `flow_active`: the job did a step of a flow that has not ended and still refers to it.
  Status may_remove(const JobState& job) { return flows_.may_remove(job); }
  /// Runs `then` once everything decided so far is durable, for reads. If the commit fails, `then` gets its
  /// error.
  void when_durable(std::function<void(Status)> then);
  /// Starts what the scheduler allows, then flushes the open group to the commit thread. Call after each loop
  /// turn.
  void turn(TimeUs now);
  /// Takes the result of a group's commit, on the loop thread.
  void committed(const CommitOutcome& outcome);
  /// Acts on moments that have come: deadlines of jobs, delayed starts and delayed flow steps.
  void time_passed(TimeUs now);
  /// When to call time_passed() next; 0: never.
  TimeUs next_deadline_after(TimeUs now) const;
  void set_capacity(Capacity capacity);
  /// Warns about an attempt once it has used this part (0 to 1) of its estimate or limit; 0, the default:
  /// never.
  void warn_of_duration(double fraction);
  /// Why a queued job has not started yet. nullopt: the job is not queued or not known.
  std::optional<Waiting> why_waiting(std::string_view job, TimeUs now) const;
  /// The same without the lists of jobs ahead and running: cheap enough to ask for many jobs.
  std::optional<Waiting> wait_reason(std::string_view job, TimeUs now) const;
  /// Refuses new jobs with this error from now on. nullopt: accepts them again and reports ready flow steps
  /// once more. Repeated command ids still get their earlier answer.
  void refuse_new_jobs(std::optional<Error> why);
  /// The wall clock was stepped by `step`: open deadlines move with it.
  void clock_stepped(TimeUs step, TimeUs now);
  /// The daemon stops: from now on nothing is started or dispatched.
  void wind_up();
  /// Slots, pauses, the drain, and what each project has used of its daily budgets.
  const Queue& queue() const { return queue_.queue(); }

  const JobState* find_live(std::string_view job) const;
  /// Flows that are active or not yet in the core views.
  const FlowBook& flows() const { return flows_; }
  const std::map<std::string, JobState, std::less<>>& live_jobs() const { return live_; }
  /// Whether the command's id was used before: submitting the command again only repeats the answer.
  bool is_repeated(const CommandMeta& meta) { return answers_.answered_before(meta).has_value(); }
  /// Forgets ended jobs, flows, solutions, facts and command ids that the core views hold up to `cursor`.
  void views_reached(Position cursor);
  Position durable() const { return answers_.durable(); }
  bool failed() const { return answers_.failed().has_value(); }

 private:
  struct Named {
    std::uint32_t attempt = 0;
    std::set<std::pair<EffectKind, std::string>> kinds;  // with the id of the request it is about, if any
  };
  /// What a batch of job commands leads to, before any of it is appended.
  struct JobsDraft {
    std::vector<StagedEvent> staged;
    std::vector<std::string> created;  // jobs to forget again if the batch is refused
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

  Result<Outcome> execute(const CommandMeta& meta, Command& command);
  Result<Outcome> run_job_commands(const CommandMeta& meta, std::vector<ToJob>& commands);
  Result<Outcome> note_system(const CommandMeta& meta, const SystemNote& note);
  /// Whether the command was accepted. A refusal is reported through Hooks::command_refused.
  bool run_own_command(const std::string& job, JobCommand command, TimeUs now, Position cause);
  // Commands for jobs.
  Result<JobState*> job_to_change(const ToJob& item);
  Result<JobState*> job_of(ToJob& item, JobsDraft& draft);
  Status settle_dependencies(QueueJob& item);
  Status stage_command(const CommandMeta& meta, ToJob& item, JobsDraft& draft);
  /// Updates the state from each event that is appended.
  void take(StagedEvent& event, Position position);
  void after_change(JobState& job, Position first, TimeUs now);
  void await_dependencies(const JobState& job, TimeUs now);
  void notify_dependants(DependencyOver over);
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
  LearningBook learning_;
  DeviceBook devices_;
  std::map<std::string, JobState, std::less<>> live_;  // not terminal, or not yet in the core views
  Deadlines deadlines_;
  std::unordered_map<std::string, std::set<std::string>> dependants_;
  std::deque<DependencyOver> overs_to_report_;  // queue: the end of one job may end the next in a chain
  bool notifying_ = false;
  std::deque<std::pair<Position, std::string>> touched_;  // jobs to look at once durable
  // Jobs to drop from memory once the core views hold them.
  std::deque<std::pair<Position, std::string>> ended_;
  std::unordered_map<std::string, Named> effects_named_;  // by job
  double warn_fraction_ = 0;
  bool winding_up_ = false;
  bool recovering_ = false;
  std::optional<Error> no_new_jobs_;
};

}  // namespace luzia
