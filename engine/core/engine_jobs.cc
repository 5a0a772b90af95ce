// The engine and jobs: commands for jobs, and dependencies between jobs (--after).
#include <algorithm>

#include "engine/base/batch_place.h"
#include "engine/core/engine.h"

namespace luzia {
namespace {

constexpr const char* kNoSuchJob = "no_such_job";

/// How the last attempt of `job` ended at `at`, for the breakers. Pauses do not count as run time. Waiting
/// for a person does: an agent that got as far as asking has a working setup.
AttemptOutcome outcome_of(const JobState& job, const schema::JobEnded& ended, TimeUs at) {
  const TimeUs wall = job.started_us == 0 ? 0 : std::max<TimeUs>(0, at - job.started_us);
  const TimeUs ran = wall - std::min(wall, static_cast<TimeUs>(job.paused_us));
  return {job.spec->project, ended.state(), ended.reason(), ran, job.spec->agent};
}

}  // namespace

Result<JobState*> Engine::job_to_change(const ToJob& item) {
  if (auto it = live_.find(item.job); it != live_.end()) return &it->second;
  auto loaded = LUZIA_TRY(history_.load_job(item.job));
  if (!loaded) {
    return fail(ErrorKind::not_found, kNoSuchJob, "no job '" + item.job + "'", "luzia jobs --all lists them");
  }
  const Position position = loaded->position;
  JobState& job = live_.insert_or_assign(item.job, std::move(*loaded)).first->second;
  ended_.emplace_front(position, item.job);
  return &job;
}

Status Engine::settle_dependencies(QueueJob& item) {
  std::vector<std::string> open;
  for (const std::string& id : item.after) {
    schema::JobState state = schema::JobState::none;
    if (const JobState* live = find_live(id)) {
      state = live->state;
    } else {
      auto loaded = LUZIA_TRY(history_.load_job(id));
      if (loaded) state = loaded->state;
    }
    if (state == schema::JobState::none) {
      return fail(ErrorKind::not_found, kNoSuchJob, "cannot wait for job '" + id + "': there is no such job");
    }
    if (state == schema::JobState::completed) continue;
    if (is_terminal(state)) {
      return fail(
          ErrorKind::refused, "dependency_failed",
          "cannot wait for job " + id + ": it has ended already and is " + schema::EnumNameJobState(state),
          "luzia retry " + id + " runs it again");
    }
    if (std::find(open.begin(), open.end(), id) == open.end()) open.push_back(id);
  }
  item.after = std::move(open);
  return {};
}

Result<JobState*> Engine::job_of(ToJob& item, JobsDraft& draft) {
  auto* queue = std::get_if<QueueJob>(&item.command);
  if (queue == nullptr) {
    auto known = job_to_change(item);
    if (!begins_job(item.command) || known || known.error().code != kNoSuchJob) return known;
  }
  if (no_new_jobs_) return tl::unexpected(*no_new_jobs_);
  if (queue != nullptr) {
    LUZIA_TRY(settle_dependencies(*queue));
  }
  const std::size_t jobs_before = live_.size();
  // Ids grow: a new one usually goes to the end.
  JobState& job = live_.try_emplace(live_.end(), item.job)->second;
  if (live_.size() > jobs_before) draft.created.push_back(item.job);
  return &job;
}

Status Engine::stage_command(const CommandMeta& meta, ToJob& item, JobsDraft& draft) {
  JobState* job = LUZIA_TRY(job_of(item, draft));
  const bool lets_go_on =
      std::holds_alternative<ResumeJob>(item.command) || std::holds_alternative<RetryJob>(item.command);
  if (std::holds_alternative<RemoveJob>(item.command)) {
    LUZIA_TRY(may_remove(*job));
  }
  auto events = LUZIA_TRY(decide(*job, std::move(item.command), meta.now));
  queue_.note_agent_limit(*job, events, lets_go_on, draft.agent_facts);
  FlowNotes flow_notes = FlowBook::notes_for(*job, events);
  std::uint64_t version = job->version;
  CommandMeta its = meta;
  if (its.cause == 0) its.cause = job->lifecycle_position;
  for (NewEvent& event : events) {
    LUZIA_TRY(writer_.stage(its, std::move(event), ++version, job, draft.staged));
    // Later events of the command are caused by its first one.
    if (version == job->version + 1) its.cause = writer_.next_position() + draft.staged.size() - 1;
  }
  if (!events.empty()) draft.changed.push_back(job);
  return flows_.stage_notes(its, std::move(flow_notes), draft.staged, draft.flows);
}

namespace {

/// Says which job of a batch was refused. Ids are not named, because no job of the batch is created.
Error refusal_in_batch(Error error, const std::vector<ToJob>& commands, std::size_t at) {
  const bool is_one_of_many = commands.size() > 1 && std::holds_alternative<QueueJob>(commands[at].command);
  if (!is_one_of_many || error.kind == ErrorKind::trouble) return error;
  for (std::size_t before = 0; before < at; ++before) {
    const std::string& id = commands[before].job;
    error.message = replaced(std::move(error.message), "job " + id, batch_place(before + 1));
    if (error.hint.find(id) != std::string::npos) error.hint = "take one of the two out";
  }
  return in_batch(std::move(error), at + 1);
}

}  // namespace

Result<Outcome> Engine::run_job_commands(const CommandMeta& meta, std::vector<ToJob>& commands) {
  Outcome outcome;
  JobsDraft draft;
  std::set<std::string_view> seen;
  Status staged;
  for (ToJob& item : commands) {
    if (!seen.insert(item.job).second) continue;
    const bool imports = std::holds_alternative<ImportJob>(item.command);
    const std::size_t changed_before = draft.changed.size();
    staged = stage_command(meta, item, draft);
    if (!staged) {
      const auto at = static_cast<std::size_t>(&item - commands.data());
      staged = tl::unexpected(refusal_in_batch(staged.error(), commands, at));
      break;
    }
    // Of imported jobs, name only the new ones.
    if (!imports || draft.changed.size() > changed_before) outcome.ids.push_back(item.job);
  }
  if (staged) staged = GroupWriter::fits_one_group(draft.staged);
  // Last of all that can be refused, because staging a queue fact uses up a version of its stream.
  if (staged) staged = queue_.stage_agent_facts(meta, draft.agent_facts, draft.staged);
  if (!staged) {
    for (const std::string& id : draft.created) live_.erase(id);
    return tl::unexpected(staged.error());
  }
  const Position first = writer_.next_position();
  writer_.append(draft.staged);
  queue_.take_agent_facts(draft.agent_facts);
  flows_.after_changes(draft.flows);
  for (JobState* job : draft.changed) after_change(*job, first, meta.now);
  queue_.note_outcomes(meta.now);
  outcome.position = writer_.last_decided();
  return outcome;
}

bool Engine::run_own_command(const std::string& job, JobCommand command, TimeUs now, Position cause) {
  CommandMeta meta = by_daemon(now, cause);
  auto commands = to_one_job(job, std::move(command));
  const auto done = run_job_commands(meta, commands);
  refusals_.note("job/" + job, done ? Status() : tl::unexpected(done.error()));
  return done.has_value();
}

void Engine::take(StagedEvent& event, Position position) {
  const schema::Event& packed = *schema::GetEvent(event.encoded.data());
  if (event.queued) {
    evolve_queued(*event.job, std::move(*event.queued), packed.version(), position, packed.time_us());
  } else if (event.flow != nullptr) {
    evolve(*event.flow, packed);
  } else if (event.job != nullptr) {
    const JobUse before = use_of(*event.job);
    evolve(*event.job, packed);
    if (const JobUse after = use_of(*event.job); after != before) {
      queue_.queue().spending().add(event.job->spec->project, before, after, packed.time_us(), position);
    }
    const auto* lifecycle = packed.payload_as_JobEvent();
    const auto* ended = lifecycle != nullptr ? lifecycle->fact_as_JobEnded() : nullptr;
    if (ended != nullptr && !event.job->tracked) {  // a breaker only stops what Luzia starts
      queue_.add_outcome(position, outcome_of(*event.job, *ended, packed.time_us()));
    }
  }
}

void Engine::after_change(JobState& job, Position first, TimeUs now) {
  if (job.lifecycle_position < first) return;  // only output or a report: no effect can be due
  touched_.emplace_back(job.lifecycle_position, job.job);
  queue_.queue().note(job);
  rearm(job);
  queue_.mark_changed();
  if (job.state == schema::JobState::queued) return await_dependencies(job, now);
  if (is_terminal(job.state)) {
    ended_.emplace_back(job.position, job.job);
    notify_dependants({job.job, job.state, job.lifecycle_position, now});
  }
}

// --------------------------------------------------------------------------------------- dependencies

void Engine::await_dependencies(const JobState& job, TimeUs now) {
  const std::vector<std::string> after = job.after;  // a copy: reporting a dependency changes it
  for (const std::string& dependency : after) {
    dependants_[dependency].insert(job.job);
    // A retried job may wait for one that ended in the meantime: that end will not be reported again.
    const JobState* live = find_live(dependency);
    schema::JobState state = live != nullptr ? live->state : schema::JobState::none;
    if (live == nullptr) {
      if (const auto loaded = history_.load_job(dependency); loaded && *loaded) state = (*loaded)->state;
    }
    if (is_terminal(state)) notify_dependants({dependency, state, job.lifecycle_position, now});
  }
}

/// An end may end the dependant too, whose own dependants come next. This is a queue instead of a recursion
/// because a chain may be longer than the stack is deep.
void Engine::notify_dependants(DependencyOver over) {
  if (!dependants_.contains(over.job)) return;
  overs_to_report_.push_back(std::move(over));
  if (notifying_) return;
  notifying_ = true;
  while (!overs_to_report_.empty()) {
    const DependencyOver next = std::move(overs_to_report_.front());
    overs_to_report_.pop_front();
    const auto waiting = dependants_.extract(next.job);
    if (waiting.empty()) continue;
    for (const std::string& dependant : waiting.mapped()) {
      run_own_command(dependant, ReportDependency{next.job, next.state}, next.now, next.cause);
    }
  }
  notifying_ = false;
}

}  // namespace luzia
