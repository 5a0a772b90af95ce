// The engine takes commands one after another and decides them. It adds the events to the committer's open
// group, holds replies back until they are durable, and names the effects that are due. Loop thread only; no
// I/O of its own.
//
//   submit -> decide -> evolve + add to open group -> flush -> (fsync) -> committed -> replies, effects
//
// What it knows is in books: JobBook, FlowBook, LearningBook, QueueBook, DeviceBook and ScheduleBook.
// JobCommands changes jobs; Dependants, JobClock and DueEffects hold what they wait for and what is due for
// them. GroupWriter stages and appends events; Answers holds replies.
//
// Decisions see state that includes groups not yet on disk. So every answer, refusals included, waits until
// all groups decided before it are durable.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "engine/core/answers.h"
#include "engine/core/device_book.h"
#include "engine/core/due_effects.h"
#include "engine/core/job_clock.h"
#include "engine/core/job_commands.h"
#include "engine/core/learning_book.h"
#include "engine/core/rerouting.h"
#include "engine/core/schedule_book.h"

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
  void load(JobState&& job);
  void load(Flow flow) { flows_.load(std::move(flow)); }
  /// Start: for pauses, breakers, limits, the drain and spending as the core views hold them. Use before
  /// resume(); later only commands change the queue.
  Queue& queue_to_load() { return queue_.queue(); }
  /// The paired devices. Load them before resume().
  DeviceBook& devices() { return devices_; }
  /// The same for schedules.
  ScheduleBook& schedules() { return schedules_; }
  const ScheduleBook& schedules() const { return schedules_; }
  /// Start: everything loaded is durable up to `tip`. Names the pending effects.
  void resume(Position tip, TimeUs now);

  void submit(const CommandMeta& meta, Command command, Reply reply);
  /// Why creating that flow would be refused now. Changes nothing.
  Status try_new_flow(const CommandMeta& meta, const std::string& id, CreateFlow command);
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
  /// See JobClock.
  void warn_of_duration(double fraction) { clock_.warn_of_duration(fraction); }
  /// Refuses new jobs with this error from now on. nullopt: accepts them again and reports ready flow steps
  /// once more. Repeated command ids still get their earlier answer.
  void refuse_new_jobs(std::optional<Error> why);
  /// The wall clock was stepped by `step`: open deadlines move with it.
  void clock_stepped(TimeUs step, TimeUs now);
  /// The daemon stops: from now on nothing is started or dispatched.
  void wind_up() { winding_up_ = true; }
  /// Slots, pauses, the drain, and what each project has used of its daily budgets.
  const Queue& queue() const { return queue_.queue(); }

  /// Jobs that have not ended or are not yet in the core views.
  const JobState* find_live(std::string_view job) const { return jobs_.find(job); }
  const JobBook::Jobs& live_jobs() const { return jobs_.all(); }
  /// Flows that are active or not yet in the core views.
  const FlowBook& flows() const { return flows_; }
  /// Whether the command's id was used before: submitting the command again only repeats the answer.
  bool is_repeated(const CommandMeta& meta) { return answers_.answered_before(meta).has_value(); }
  /// Forgets ended jobs, flows, solutions, facts and command ids that the core views hold up to `cursor`.
  void views_reached(Position cursor);
  Position durable() const { return answers_.durable(); }
  bool failed() const { return answers_.failed().has_value(); }

 private:
  Result<Outcome> execute(const CommandMeta& meta, Command& command);
  void after_change(JobState& job, TimeUs now);
  /// Moves a part of the jobs whose agent is parked to others. False: there may be more.
  bool reroute(TimeUs now);

  std::string boot_id_;
  Refusals refusals_;
  Answers answers_;
  GroupWriter writer_;
  JobBook jobs_;
  QueueBook queue_;
  FlowBook flows_;
  LearningBook learning_;
  DeviceBook devices_;
  Dependants dependants_;
  JobClock clock_;
  Rerouting rerouting_;
  DueEffects effects_;
  JobCommands commands_;
  ScheduleBook schedules_;
  bool winding_up_ = false;
};

}  // namespace luzia
