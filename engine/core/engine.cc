#include "engine/core/engine.h"

#include <algorithm>

namespace luzia {

Engine::Engine(Options options, Committer& committer, History& history, Hooks hooks)
    : options_(std::move(options)),
      history_(history),
      hooks_(std::move(hooks)),
      refusals_(hooks_.command_refused),
      answers_(history),
      writer_(options_.site, committer, history,
              [this](StagedEvent& event, Position position) { take(event, position); }),
      queue_(options_.capacity, writer_, refusals_),
      flows_(
          writer_, history,
          [this](const std::string& job) {
            const JobState* live = find_live(job);
            return live != nullptr && !is_terminal(live->state);
          },
          hooks_.step_ready),
      learning_(writer_, history),
      devices_(writer_) {}

// ---------------------------------------------------------------------------------------------- start

void Engine::load(JobState job) {
  const std::string id = job.job;
  for (const std::string& dependency : job.after) dependants_[dependency].insert(id);
  JobState& stored = live_.insert_or_assign(id, std::move(job)).first->second;
  queue_.queue().note(stored);
  rearm(stored);
}

void Engine::resume(Position tip, TimeUs now) {
  answers_.committed(tip);
  std::vector<std::string> dependencies;
  dependencies.reserve(dependants_.size());
  for (const auto& [dependency, waiting] : dependants_) dependencies.push_back(dependency);
  for (const std::string& dependency : dependencies) {
    if (live_.contains(dependency)) continue;
    const auto job = history_.load_job(dependency);
    if (job && *job && is_terminal((*job)->state)) {
      notify_dependants({dependency, (*job)->state, (*job)->position, now});
    }
  }
  recovering_ = true;
  for (const auto& [id, job] : live_) name_effects(job);
  recovering_ = false;
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
    result = run_job_commands(meta, *commands);
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
  } else {
    result = note_system(meta, std::get<SystemNote>(command));
  }
  if (result && !meta.command_id.empty() && writer_.next_position() != first) {
    answers_.remember(meta, first, result->ids);
  }
  return result;
}

Result<Outcome> Engine::note_system(const CommandMeta& meta, const SystemNote& note) {
  std::vector<StagedEvent> staged;
  NewEvent event = std::visit([](const auto& fact) { return new_event("system", fact); }, note.fact);
  LUZIA_TRY(writer_.stage(meta, std::move(event), 0, nullptr, staged));
  writer_.append(staged);
  return Outcome{{}, writer_.last_decided(), false};
}

// ---------------------------------------------------------------------------------------------- turns

void Engine::wind_up() {
  winding_up_ = true;
}

void Engine::turn(TimeUs now) {
  if (failed()) return;
  if (queue_.queue().spending().changed()) stop_over_budget(now, queue_.note_budgets(now));
  start_ready(now);
  if (!winding_up_ && !no_new_jobs_) flows_.name_ready_steps(now, durable());
  writer_.flush();
}

void Engine::start_ready(TimeUs now) {
  if (winding_up_ || !queue_.take_changed()) return;
  for (const std::string& job : queue_.queue().starts(now)) {
    run_own_command(job, StartAttempt{options_.boot_id}, now, 0);
  }
  queue_.take_changed();
}

void Engine::refuse_new_jobs(std::optional<Error> why) {
  no_new_jobs_ = std::move(why);
  if (!no_new_jobs_) flows_.name_again();
}

void Engine::set_capacity(Capacity capacity) {
  queue_.queue().set_capacity(std::move(capacity));
  queue_.mark_changed();
}

// ------------------------------------------------------------------------------------------ durable

void Engine::committed(const CommitOutcome& outcome) {
  if (!outcome.group) return answers_.fail(outcome.error);
  answers_.committed(outcome.group->last_position());
  look_at_touched();
  flows_.committed(durable());
}

void Engine::look_at_touched() {
  auto next = live_.end();
  while (!touched_.empty() && touched_.front().first <= durable()) {
    const std::string id = std::move(touched_.front().second);
    touched_.pop_front();
    // In a burst of new jobs the next one usually follows the last in the map.
    const auto it = next != live_.end() && next->first == id ? next : live_.find(id);
    // A later event of the job is still in flight: the job is looked at when that event is durable.
    if (it == live_.end() || it->second.lifecycle_position > durable()) continue;
    name_effects(it->second);
    if (hooks_.job_changed) hooks_.job_changed(it->second);
    next = std::next(it);
  }
}

void Engine::name_effects(const JobState& job) {
  const std::vector<Effect> effects = pending_effects(job);
  if (effects.empty()) {
    effects_named_.erase(job.job);
    return;
  }
  Named& named = effects_named_[job.job];
  if (named.attempt != job.attempt) named = {job.attempt, {}};
  for (const Effect& effect : effects) {
    if (effect.kind == EffectKind::pause_group) named.kinds.erase({EffectKind::continue_group, {}});
    // Continue is due only after a pause. At the start it is always due: the last process may have paused the
    // job.
    const bool was_paused =
        effect.kind == EffectKind::continue_group && named.kinds.erase({EffectKind::pause_group, {}}) > 0;
    if (effect.kind == EffectKind::continue_group && !was_paused && !recovering_) continue;
    if (named.kinds.insert({effect.kind, effect.input}).second && hooks_.effect) hooks_.effect(effect, job);
  }
}

// ------------------------------------------------------------------------------------------- reading

const JobState* Engine::find_live(std::string_view job) const {
  const auto it = live_.find(job);
  return it == live_.end() ? nullptr : &it->second;
}

std::optional<Waiting> Engine::why_waiting(std::string_view job, TimeUs now) const {
  const JobState* state = find_live(job);
  return state == nullptr ? std::nullopt : queue().why(*state, now);
}

std::optional<Waiting> Engine::wait_reason(std::string_view job, TimeUs now) const {
  const JobState* state = find_live(job);
  return state == nullptr ? std::nullopt : queue().reason(*state, now);
}

void Engine::views_reached(Position cursor) {
  // The views may learn of a group before the loop does, whose jobs look_at_touched() has not seen yet.
  cursor = std::min(cursor, durable());
  std::size_t left = ended_.size();
  while (left-- > 0 && !ended_.empty() && ended_.front().first <= cursor) {
    const auto [position, id] = std::move(ended_.front());
    ended_.pop_front();
    const auto it = live_.find(id);
    if (it == live_.end() || !is_terminal(it->second.state)) continue;
    if (it->second.position > cursor) {
      ended_.emplace_back(it->second.position, id);
      continue;
    }
    effects_named_.erase(id);
    refusals_.forget("job/" + id);
    live_.erase(it);
  }
  flows_.views_reached(cursor);
  learning_.views_reached(cursor);
  answers_.views_reached(cursor);
}

}  // namespace luzia
