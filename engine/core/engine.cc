#include "engine/core/engine.h"

#include <algorithm>

namespace luzia {
namespace {

/// How the last attempt of `job` ended at `at`, for the breakers. Pauses do not count as run time. Waiting
/// for a person does: an agent that got as far as asking has a working setup.
AttemptOutcome outcome_of(const JobState& job, const schema::JobEnded& ended, TimeUs at) {
  const TimeUs wall = job.started_us == 0 ? 0 : std::max<TimeUs>(0, at - job.started_us);
  const TimeUs ran = wall - std::min(wall, static_cast<TimeUs>(job.paused_us));
  return {job.spec->project, ended.state(), ended.reason(), ran, job.spec->agent};
}

/// Updates the state from an event that is appended.
void take_appended(StagedEvent& event, Position position, QueueBook& queue) {
  const schema::Event& packed = *schema::GetEvent(event.encoded.data());
  if (event.queued) {
    evolve_queued(*event.job, std::move(*event.queued), packed.version(), position, packed.time_us());
  } else if (event.flow != nullptr) {
    evolve(*event.flow, packed);
  } else if (event.job != nullptr) {
    const JobUse before = use_of(*event.job);
    evolve(*event.job, packed);
    if (const JobUse after = use_of(*event.job); after != before) {
      queue.queue().stops().spending.add(event.job->spec->project, before, after, packed.time_us(), position);
    }
    const auto* lifecycle = packed.payload_as_JobEvent();
    const auto* ended = lifecycle != nullptr ? lifecycle->fact_as_JobEnded() : nullptr;
    if (ended != nullptr && !event.job->tracked) {  // a breaker only stops what Luzia starts
      queue.add_outcome(position, outcome_of(*event.job, *ended, packed.time_us()));
    }
  }
}

Result<Outcome> note_system(GroupWriter& writer, const CommandMeta& meta, const SystemNote& note) {
  std::vector<StagedEvent> staged;
  NewEvent event = std::visit([](const auto& fact) { return new_event("system", fact); }, note.fact);
  LUZIA_TRY(writer.stage(meta, std::move(event), 0, nullptr, staged));
  writer.append(staged);
  return Outcome{{}, writer.last_decided(), false};
}

/// Whether stopping the job saves anything: it runs, and its agent has not reported its outcome yet.
bool uses_budget(const JobState& job) {
  const bool runs = (job.state == schema::JobState::starting || job.state == schema::JobState::running ||
                     job.state == schema::JobState::waiting) &&
                    !job.attempt_over;
  return runs && !job.stop_requested && job.outcome == schema::AgentOutcome::none;
}

void stop_over_budget(const Spending& spending, const JobBook& book, JobCommands& commands, TimeUs now,
                      Position cause) {
  for (const std::string& scope : spending.to_stop(now)) {
    std::vector<std::string> jobs;
    for (const auto& [id, job] : book.all()) {
      if (uses_budget(job) && (scope.empty() || job.spec->project == scope)) jobs.push_back(id);
    }
    CancelJob stop;
    stop.note = "the budget of " + (scope.empty() ? "all projects together" : "project " + scope) +
                " for this day is used up";
    stop.reason = schema::StopReason::policy;
    for (const std::string& job : jobs) commands.run_own(job, stop, now, cause);
  }
}

}  // namespace

Engine::Engine(Options options, Committer& committer, History& history, Hooks hooks)
    : boot_id_(std::move(options.boot_id)),
      refusals_(std::move(hooks.command_refused)),
      answers_(history),
      writer_(std::move(options.site), committer, history,
              [this](StagedEvent& event, Position position) { take_appended(event, position, queue_); }),
      jobs_(history),
      queue_(std::move(options.capacity), writer_, refusals_),
      flows_(
          writer_, history,
          [this](const std::string& job) {
            const JobState* live = jobs_.find(job);
            return live != nullptr && !is_terminal(live->state);
          },
          std::move(hooks.step_ready)),
      learning_(writer_, history),
      devices_(writer_),
      dependants_(jobs_, history,
                  [this](const std::string& dependant, ReportDependency over, TimeUs now, Position cause) {
                    commands_.run_own(dependant, std::move(over), now, cause);
                  }),
      clock_(jobs_,
             [this](const std::string& job, JobCommand command, TimeUs now, Position cause) {
               return commands_.run_own(job, std::move(command), now, cause);
             }),
      rerouting_(jobs_),
      effects_(jobs_, std::move(hooks.effect), std::move(hooks.job_changed)),
      commands_({writer_, refusals_, jobs_, queue_, flows_, dependants_},
                [this](JobState& job, TimeUs now) { after_change(job, now); }),
      schedules_(writer_, jobs_, commands_) {}

// ---------------------------------------------------------------------------------------------- start

void Engine::load(JobState&& job) {
  const JobState& stored = jobs_.load(std::move(job));
  dependants_.load(stored);
  queue_.queue().note(stored);
  clock_.rearm(stored);
  rerouting_.note(stored);
}

void Engine::resume(Position tip, TimeUs now) {
  answers_.committed(tip);
  dependants_.resume(now);
  effects_.resume();
  flows_.resume();
  queue_.mark_changed();
}

// ------------------------------------------------------------------------------------------- commands

void Engine::submit(const CommandMeta& meta, Command command, Reply reply) {
  // After a commit failure nothing is executed: Answers replies with the error.
  Result<Outcome> result = failed() ? Result<Outcome>(Outcome()) : execute(meta, command);
  if (!reply) return;
  when_durable([reply = std::move(reply), result = std::move(result)](const Status& status) {
    if (status) {
      reply(result);
    } else {
      reply(tl::unexpected(status.error()));
    }
  });
}

void Engine::when_durable(std::function<void(Status)> then) {
  answers_.when_durable(writer_.last_decided(), std::move(then));
}

Status Engine::try_new_flow(const CommandMeta& meta, const std::string& id, CreateFlow command) {
  if (const auto& why = answers_.failed()) return tl::unexpected(*why);
  return flows_.try_new(meta, id, std::move(command));
}

Result<Outcome> Engine::execute(const CommandMeta& meta, Command& command) {
  if (auto before = answers_.answered_before(meta)) return std::move(*before);
  const Position first = writer_.next_position();
  Result<Outcome> result = tl::unexpected(Error{});
  if (auto* commands = std::get_if<std::vector<ToJob>>(&command)) {
    result = commands_.run(meta, *commands);
  } else if (const auto* queue = std::get_if<ToQueue>(&command)) {
    result = queue_.run(meta, *queue);
  } else if (auto* flow = std::get_if<ToFlow>(&command)) {
    result = flows_.run(meta, *flow);
  } else if (auto* learning = std::get_if<ToLearning>(&command)) {
    result = learning_.run(meta, *learning);
  } else if (auto* tools = std::get_if<ToCatalogue>(&command)) {
    result = learning_.run(meta, *tools);
  } else if (const auto* drain = std::get_if<ToDrain>(&command)) {
    result = queue_.run(meta, *drain);
  } else if (auto* device = std::get_if<ToDevices>(&command)) {
    result = devices_.run(meta, *device);
  } else if (auto* schedule = std::get_if<ToSchedule>(&command)) {
    result = schedules_.run(meta, *schedule);
  } else {
    result = note_system(writer_, meta, std::get<SystemNote>(command));
  }
  if (result && !meta.command_id.empty() && writer_.next_position() != first) {
    answers_.remember(meta, first, result->ids);
  }
  return result;
}

void Engine::after_change(JobState& job, TimeUs now) {
  effects_.touched(job);
  queue_.queue().note(job);
  clock_.rearm(job);
  rerouting_.note(job);
  queue_.mark_changed();
  if (job.state == schema::JobState::queued) return dependants_.await(job, now);
  if (is_terminal(job.state)) {
    jobs_.ended(job);
    dependants_.ended(job, now);
  }
}

// ---------------------------------------------------------------------------------------------- turns

void Engine::turn(TimeUs now) {
  if (failed()) return;
  Queue& queue = queue_.queue();
  if (queue.stops().spending.changed()) {
    const Position cause = queue_.note_budgets(now);
    stop_over_budget(queue.stops().spending, jobs_, commands_, now, cause);
  }
  if (!winding_up_ && queue_.take_changed()) {
    // No job starts until all have their agent: the first ones in the queue may be the last to get it. The
    // commit of this part causes the next turn.
    const bool all = reroute(now);
    if (all) {
      for (const std::string& job : queue.starts(now)) commands_.run_own(job, StartAttempt{boot_id_}, now, 0);
    }
    queue_.take_changed();
    if (!all) queue_.mark_changed();
  }
  if (!winding_up_ && !commands_.refuses_new()) flows_.name_ready_steps(now, durable());
  writer_.flush();
}

bool Engine::reroute(TimeUs now) {
  auto due = rerouting_.due(queue_.queue().stops().agent_limits);
  for (auto& [job, change] : due) {
    const JobState* state = jobs_.find(job);
    commands_.run_own(job, std::move(change), now, state->position);
  }
  return due.size() < kMostReroutesAtOnce;
}

void Engine::refuse_new_jobs(std::optional<Error> why) {
  commands_.refuse_new(std::move(why));
  if (!commands_.refuses_new()) flows_.name_again();
}

void Engine::set_capacity(Capacity capacity) {
  queue_.queue().set_capacity(std::move(capacity));
  queue_.mark_changed();
}

void Engine::committed(const CommitOutcome& outcome) {
  if (!outcome.group) return answers_.fail(outcome.error);
  answers_.committed(outcome.group->last_position());
  effects_.committed(durable());
  flows_.committed(durable());
}

void Engine::views_reached(Position cursor) {
  // The views may learn of a group before the loop does, whose jobs DueEffects has not seen yet.
  cursor = std::min(cursor, durable());
  for (const std::string& job : jobs_.views_reached(cursor)) {
    effects_.forget(job);
    refusals_.forget("job/" + job);
  }
  flows_.views_reached(cursor);
  learning_.views_reached(cursor);
  answers_.views_reached(cursor);
}

// ----------------------------------------------------------------------------------------------- time

TimeUs Engine::next_deadline_after(TimeUs now) const {
  // While no step is dispatched, a moment that has passed would stay the next one for ever.
  const TimeUs of_flows = commands_.refuses_new() || winding_up_ ? 0 : flows_.next_moment();
  return earlier_moment(earlier_moment(clock_.next_moment(), queue_.next_moment(now)), of_flows);
}

void Engine::time_passed(TimeUs now) {
  clock_.time_passed(now);
  queue_.time_passed(now);
  flows_.time_passed(now);
}

void Engine::clock_stepped(TimeUs step, TimeUs now) {
  (void)note_system(writer_, by_daemon(now), {domain_fact(schema::ClockSteppedT{{}, step})});
  const Position cause = writer_.last_decided();
  clock_.shift(step, now, cause);
  queue_.clock_stepped(step, now, cause);
  flows_.shift(step, now, cause);
}

}  // namespace luzia
