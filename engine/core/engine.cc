#include "engine/core/engine.h"

#include <algorithm>

#include "engine/base/batch_place.h"

namespace luzia {
namespace {

/// Of an event's frame in a group: its header and padding.
constexpr std::size_t kFrameRoom = 16;

constexpr const char* kNoSuchJob = "no_such_job";

Error unknown_fate(const Error& cause) {
  return {ErrorKind::trouble, "commit_failed",
          "the log could not be written (" + cause.message + "): whether the command took effect is unknown",
          "send it again with the same command id: it takes effect once"};
}

/// For the breakers: how the last attempt of `job` ended at `at`. What it was paused for is no run time; what
/// it waited for people is, since an agent that got as far as asking has a set-up that works.
AttemptOutcome outcome_of(const JobState& job, const schema::JobEnded& ended, TimeUs at) {
  const TimeUs wall = job.started_us == 0 ? 0 : std::max<TimeUs>(0, at - job.started_us);
  const TimeUs ran = wall - std::min(wall, static_cast<TimeUs>(job.paused_us));
  return {job.spec->project, ended.state(), ended.reason(), ran, job.spec->agent};
}

}  // namespace

Engine::Engine(Options options, Committer& committer, History& history, Hooks hooks)
    : options_(std::move(options)),
      committer_(committer),
      history_(history),
      hooks_(std::move(hooks)),
      queue_(options_.capacity) {}

// ---------------------------------------------------------------------------------------------- start

void Engine::load(JobState job) {
  const std::string id = job.job;
  for (const std::string& dependency : job.after) dependants_[dependency].insert(id);
  JobState& stored = live_.insert_or_assign(id, std::move(job)).first->second;
  queue_.note(stored);
  rearm(stored);
}

void Engine::resume(Position tip, TimeUs now) {
  durable_ = tip;
  std::vector<std::string> dependencies;
  dependencies.reserve(dependants_.size());
  for (const auto& [dependency, waiting] : dependants_) dependencies.push_back(dependency);
  for (const std::string& dependency : dependencies) {
    if (live_.contains(dependency)) continue;
    const auto job = history_.load_job(dependency);
    if (job && *job && is_terminal((*job)->state)) {
      tell_dependants({dependency, (*job)->state, (*job)->position, now});
    }
  }
  recovering_ = true;
  for (const auto& [id, job] : live_) name_effects(job);
  recovering_ = false;
  for (const auto& [id, flow] : flows_) flows_to_name_.insert(id);
  queue_changed_ = true;
}

// ------------------------------------------------------------------------------------------- commands

void Engine::submit(const CommandMeta& meta, Command command, Reply reply) {
  Result<Outcome> result =
      failed_ ? Result<Outcome>(tl::unexpected(unknown_fate(*failed_))) : execute(meta, command);
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
  if (failed_) return then(tl::unexpected(unknown_fate(*failed_)));
  const Position after = last_decided();
  if (held_.empty() && after <= durable_) return then({});
  held_.push_back({after, std::move(then)});
}

Result<Outcome> Engine::execute(const CommandMeta& meta, Command& command) {
  if (auto before = answered_before(meta)) return std::move(*before);
  const Position first = committer_.next_position();
  Result<Outcome> result = tl::unexpected(Error{});
  if (auto* orders = std::get_if<std::vector<JobOrder>>(&command)) {
    result = order_jobs(meta, *orders);
  } else if (const auto* queue = std::get_if<QueueOrder>(&command)) {
    result = order_queue(meta, *queue);
  } else if (auto* flow = std::get_if<FlowOrder>(&command)) {
    result = order_flow(meta, *flow);
  } else if (auto* learning = std::get_if<LearningOrder>(&command)) {
    result = order_learning(meta, *learning);
  } else if (auto* tools = std::get_if<CatalogueOrder>(&command)) {
    result = catalogue(meta, *tools);
  } else if (const auto* drain = std::get_if<DrainOrder>(&command)) {
    result = order_drain(meta, *drain);
  } else {
    result = note_system(meta, std::get<SystemNote>(command));
  }
  if (result && !meta.command_id.empty() && committer_.next_position() != first) {
    const std::pair key{meta.uid, meta.command_id};
    recent_commands_[key] = {meta.digest, first, result->ids};
    recent_order_.emplace_back(first, key);
  }
  return result;
}

std::optional<Result<Outcome>> Engine::answered_before(const CommandMeta& meta) {
  if (meta.command_id.empty()) return std::nullopt;
  std::optional<History::Command> known;
  const auto it = recent_commands_.find({meta.uid, meta.command_id});
  if (it != recent_commands_.end()) {
    known = it->second;
  } else {
    auto found = history_.find_command(meta.uid, meta.command_id);
    if (!found) return Result<Outcome>(tl::unexpected(found.error()));
    known = std::move(*found);
  }
  if (!known) return std::nullopt;
  // The log keeps the first 16 bytes of the digest.
  if (!std::equal(known->digest.begin(), known->digest.begin() + 16, meta.digest.begin())) {
    return Result<Outcome>(fail(ErrorKind::refused, "command_id_reused",
                                "command id '" + meta.command_id + "' was used for another command before",
                                "use a new id, or repeat the first command unchanged"));
  }
  return Result<Outcome>(Outcome{known->ids, known->position, true});
}

Result<JobState*> Engine::job_to_change(const JobOrder& order) {
  if (auto it = live_.find(order.job); it != live_.end()) return &it->second;
  auto loaded = LUZIA_TRY(history_.load_job(order.job));
  if (!loaded) {
    return fail(ErrorKind::not_found, kNoSuchJob, "no job '" + order.job + "'",
                "luzia jobs --all lists them");
  }
  const Position position = loaded->position;
  JobState& job = live_.insert_or_assign(order.job, std::move(*loaded)).first->second;
  ended_.emplace_front(position, order.job);
  return &job;
}

Status Engine::settle_dependencies(QueueJob& order) {
  std::vector<std::string> open;
  for (const std::string& id : order.after) {
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
  order.after = std::move(open);
  return {};
}

Result<JobState*> Engine::job_of_order(JobOrder& order, JobsDraft& draft) {
  auto* queue = std::get_if<QueueJob>(&order.command);
  if (queue == nullptr) {
    auto known = job_to_change(order);
    const bool imports = std::holds_alternative<ImportJob>(order.command);
    if (!imports || known || known.error().code != kNoSuchJob) return known;
  }
  if (no_new_jobs_) return tl::unexpected(*no_new_jobs_);
  if (queue != nullptr) {
    LUZIA_TRY(settle_dependencies(*queue));
  }
  const std::size_t jobs_before = live_.size();
  JobState& job = live_.try_emplace(live_.end(), order.job)->second;  // ids grow: most often the last
  if (live_.size() > jobs_before) draft.created.push_back(order.job);
  return &job;
}

Status Engine::stage_order(const CommandMeta& meta, JobOrder& order, JobsDraft& draft) {
  JobState* job = LUZIA_TRY(job_of_order(order, draft));
  const bool lets_go_on =
      std::holds_alternative<ResumeJob>(order.command) || std::holds_alternative<RetryJob>(order.command);
  if (std::holds_alternative<RemoveJob>(order.command)) {
    LUZIA_TRY(may_remove(*job));
  }
  auto events = LUZIA_TRY(decide(*job, std::move(order.command), meta.now));
  note_agent_limit(*job, events, lets_go_on, draft.agent_facts);
  FlowNotes flow_notes = notes_for_flow(*job, events);
  std::uint64_t version = job->version;
  CommandMeta its = meta;
  if (its.cause == 0) its.cause = job->lifecycle_position;
  for (NewEvent& event : events) {
    LUZIA_TRY(stage(its, std::move(event), ++version, job, draft.staged));
    // What follows within the command follows from its first event.
    if (version == job->version + 1) its.cause = committer_.next_position() + draft.staged.size() - 1;
  }
  if (!events.empty()) draft.changed.push_back(job);
  return stage_notes(its, std::move(flow_notes), draft.staged, draft.flows);
}

namespace {

/// Of a batch of new jobs: which one it is. Those before it are not there either, so their ids are not named.
Error refusal_in_batch(Error error, const std::vector<JobOrder>& orders, std::size_t at) {
  const bool is_one_of_many = orders.size() > 1 && std::holds_alternative<QueueJob>(orders[at].command);
  if (!is_one_of_many || error.kind == ErrorKind::trouble) return error;
  for (std::size_t before = 0; before < at; ++before) {
    const std::string& id = orders[before].job;
    error.message = replaced(std::move(error.message), "job " + id, batch_place(before + 1));
    if (error.hint.find(id) != std::string::npos) error.hint = "take one of the two out";
  }
  return in_batch(std::move(error), at + 1);
}

}  // namespace

Result<Outcome> Engine::order_jobs(const CommandMeta& meta, std::vector<JobOrder>& orders) {
  Outcome outcome;
  JobsDraft draft;
  std::set<std::string_view> seen;
  Status staged;
  for (JobOrder& order : orders) {
    if (!seen.insert(order.job).second) continue;
    const bool imports = std::holds_alternative<ImportJob>(order.command);
    const std::size_t changed_before = draft.changed.size();
    staged = stage_order(meta, order, draft);
    if (!staged) {
      const auto at = static_cast<std::size_t>(&order - orders.data());
      staged = tl::unexpected(refusal_in_batch(staged.error(), orders, at));
      break;
    }
    // Of imported jobs those are named that are new.
    if (!imports || draft.changed.size() > changed_before) outcome.ids.push_back(order.job);
  }
  if (staged) staged = fits_one_group(draft.staged);
  // After everything that can be refused: a version that is given to a fact is used up.
  if (staged) staged = stage_agent_facts(meta, draft.agent_facts, draft.staged);
  if (!staged) {
    for (const std::string& id : draft.created) live_.erase(id);
    return tl::unexpected(staged.error());
  }
  const Position first = committer_.next_position();
  append(draft.staged);
  take_agent_facts(draft.agent_facts);
  after_flow_changes(draft.flows);
  for (JobState* job : draft.changed) after_change(*job, first, meta.now);
  if (!outcomes_.empty()) note_outcomes(meta.now);
  outcome.position = last_decided();
  return outcome;
}

Result<Outcome> Engine::note_system(const CommandMeta& meta, const SystemNote& note) {
  std::vector<Staged> staged;
  NewEvent event = std::visit([](const auto& fact) { return new_event("system", fact); }, note.fact);
  LUZIA_TRY(stage(meta, std::move(event), 0, nullptr, staged));
  append(staged);
  return Outcome{{}, last_decided(), false};
}

// --------------------------------------------------------------------------------- events and state

Status Engine::stage(const CommandMeta& meta, NewEvent event, std::uint64_t version, JobState* job,
                     std::vector<Staged>& staged, Flow* flow) {
  schema::EventT envelope;
  envelope.site = options_.site;
  envelope.position = committer_.next_position() + staged.size();
  envelope.time_us = meta.now;
  envelope.command_id = meta.command_id;
  if (staged.empty() && !meta.command_id.empty()) {
    envelope.command_digest.assign(meta.digest.begin(), meta.digest.begin() + 16);
  }
  envelope.cause = meta.cause;
  envelope.actor = std::make_unique<schema::ActorT>();
  envelope.actor->kind = meta.actor;
  envelope.actor->uid = meta.uid;
  envelope.actor->name = meta.actor_name;
  envelope.evidence = std::move(event.evidence);
  std::uint64_t* other_version = nullptr;
  if (version == 0) {
    auto [it, inserted] = versions_.try_emplace(event.stream, 0);
    if (inserted) {
      const auto stored = history_.stream_version(event.stream);
      if (!stored) {
        versions_.erase(it);
        return tl::unexpected(stored.error());
      }
      it->second = *stored;
    }
    other_version = &it->second;
    version = *other_version + 1;
  }
  envelope.version = version;
  envelope.stream = std::move(event.stream);
  envelope.payload = std::move(event.payload);
  builder_.Clear();
  builder_.Finish(schema::Event::Pack(builder_, &envelope), schema::EventIdentifier());
  if (builder_.GetSize() > kMaxEventBytes) {
    return fail(ErrorKind::usage, "event_too_large",
                "the command's data comes to " + std::to_string(builder_.GetSize()) +
                    " bytes, more than the " + std::to_string(kMaxEventBytes) + " of one event",
                "shorten tags, options or messages; prompts may be larger");
  }
  for (const Blob& blob : event.blobs) {
    if (blob.content.size() > kMaxBlobBytes) {
      return fail(
          ErrorKind::usage, "prompt_too_large",
          "a text of " + std::to_string(blob.content.size()) + " bytes is more than the 8 MiB allowed",
          "put it in a file that the agent reads");
    }
  }
  staged.push_back({std::string(as_text({builder_.GetBufferPointer(), builder_.GetSize()})),
                    std::move(event.blobs), job, flow});
  if (auto* job_event = envelope.payload.AsJobEvent()) {
    if (auto* queued = job_event->fact.AsJobQueued()) staged.back().queued = std::move(*queued);
  }
  if (other_version != nullptr) *other_version = version;
  return {};
}

void Engine::append(std::vector<Staged>& staged) {
  for (Staged& event : staged) {
    const Position position = committer_.next_position();
    const schema::Event& packed = *schema::GetEvent(event.encoded.data());
    if (event.queued) {
      evolve_queued(*event.job, std::move(*event.queued), packed.version(), position, packed.time_us());
    } else if (event.flow != nullptr) {
      evolve(*event.flow, packed);
    } else if (event.job != nullptr) {
      const JobUse before = use_of(*event.job);
      evolve(*event.job, packed);
      if (const JobUse after = use_of(*event.job); after != before) {
        queue_.spending().add(event.job->spec->project, before, after, packed.time_us(), position);
      }
      const auto* lifecycle = packed.payload_as_JobEvent();
      if (const auto* ended = lifecycle != nullptr ? lifecycle->fact_as_JobEnded() : nullptr) {
        outcomes_.push_back({position, outcome_of(*event.job, *ended, packed.time_us())});
      }
    }
    committer_.add(as_bytes(event.encoded));
    for (Blob& blob : event.blobs) committer_.add_blob(position, std::move(blob));
  }
  // All of it becomes durable together, or none.
  committer_.end_command();
}

/// A command is one group at most, since a crash between two groups would leave half of it.
Status Engine::fits_one_group(const std::vector<Staged>& staged) {
  std::size_t bytes = 0;
  for (const Staged& event : staged) {
    bytes += event.encoded.size() + kFrameRoom;
    for (const Blob& blob : event.blobs) bytes += blob.content.size();
  }
  if (staged.size() <= 1 || (staged.size() <= kMaxGroupEvents && bytes <= kMaxGroupBytes)) return {};
  return fail(ErrorKind::usage, "command_too_large",
              "the command comes to " + std::to_string(staged.size()) + " events of " +
                  std::to_string(bytes >> 10) + " KiB together, more than the " +
                  std::to_string(kMaxGroupEvents) + " events or " + std::to_string(kMaxGroupBytes >> 10) +
                  " KiB that are taken all or none",
              "split it (for a batch file: split -l 1000 FILE)");
}

void Engine::after_change(JobState& job, Position first, TimeUs now) {
  if (job.lifecycle_position < first) return;  // only output or a report: nothing to order
  touched_.emplace_back(job.lifecycle_position, job.job);
  queue_.note(job);
  rearm(job);
  queue_changed_ = true;
  if (job.state == schema::JobState::queued) return await_dependencies(job, now);
  if (is_terminal(job.state)) {
    ended_.emplace_back(job.position, job.job);
    tell_dependants({job.job, job.state, job.lifecycle_position, now});
  }
}

// ---------------------------------------------------------------------------------------------- turns

void Engine::wind_up() {
  winding_up_ = true;
}

void Engine::turn(TimeUs now) {
  if (failed_) return;
  if (queue_.spending().changed()) note_budgets(now);
  start_ready(now);
  name_ready_steps(now);
  committer_.flush();
}

// ------------------------------------------------------------------------------------------ durable

void Engine::committed(const CommitOutcome& outcome) {
  if (!outcome.group) {
    failed_ = outcome.error;
    const Error fate = unknown_fate(outcome.error);
    std::deque<Held> held;
    held.swap(held_);
    for (Held& each : held) each.release(tl::unexpected(fate));
    return;
  }
  durable_ = outcome.group->last_position();
  release_held();
  look_at_touched();
  while (!touched_flows_.empty() && touched_flows_.front().first <= durable_) {
    flows_to_name_.insert(std::move(touched_flows_.front().second));
    touched_flows_.pop_front();
  }
}

void Engine::release_held() {
  while (!held_.empty() && held_.front().after <= durable_) {
    const auto release = std::move(held_.front().release);
    held_.pop_front();
    release({});
  }
}

void Engine::look_at_touched() {
  auto next = live_.end();
  while (!touched_.empty() && touched_.front().first <= durable_) {
    const std::string id = std::move(touched_.front().second);
    touched_.pop_front();
    // In a burst of new jobs the next one stands behind the last.
    const auto it = next != live_.end() && next->first == id ? next : live_.find(id);
    // Ordered by an event still in flight: looked at when that one is durable.
    if (it == live_.end() || it->second.lifecycle_position > durable_) continue;
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
    // Going on is due after a pause, and at the start, when a pause may have come before it.
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

void Engine::views_reached(Position cursor) {
  // The views may hear of a group before the loop does: its jobs have not been looked at yet.
  cursor = std::min(cursor, durable_);
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
    refusals_told_.erase("job/" + id);
    live_.erase(it);
  }
  forget_ended_flows(cursor);
  forget_lessons(cursor);
  while (!recent_order_.empty() && recent_order_.front().first <= cursor) {
    recent_commands_.erase(recent_order_.front().second);
    recent_order_.pop_front();
  }
}

}  // namespace luzia
