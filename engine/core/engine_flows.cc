// The engine and flows: their commands, what jobs bring about in them, and the steps that are to be handed
// over.
#include <algorithm>
#include <limits>

#include "engine/core/engine.h"
#include "engine/event/job_state.h"

namespace luzia {

void Engine::load(Flow flow) {
  const std::string id = flow.id;
  flows_.insert_or_assign(id, std::move(flow));
}

const Flow* Engine::find_live_flow(std::string_view flow) const {
  const auto it = flows_.find(flow);
  return it == flows_.end() ? nullptr : &it->second;
}

Result<Flow*> Engine::flow_to_change(const std::string& flow) {
  if (auto it = flows_.find(flow); it != flows_.end()) return &it->second;
  auto loaded = LUZIA_TRY(history_.load_flow(flow));
  if (!loaded) {
    return fail(ErrorKind::not_found, "no_such_flow", "no flow '" + flow + "'",
                "luzia flow list --all lists them");
  }
  const Position position = loaded->position;
  Flow& kept = flows_.insert_or_assign(flow, std::move(*loaded)).first->second;
  ended_flows_.emplace_front(position, flow);
  return &kept;
}

Status Engine::stage_flow(const CommandMeta& meta, const std::string& id, FlowCommand command,
                          std::vector<Staged>& staged, FlowDrafts& drafts) {
  auto it = drafts.find(id);
  if (it == drafts.end()) {
    Flow* flow = nullptr;
    if (std::holds_alternative<CreateFlow>(command)) {
      flow = &flows_.try_emplace(id).first->second;
    } else {
      flow = LUZIA_TRY(flow_to_change(id));
    }
    it = drafts.emplace(id, FlowDraft{flow, *flow}).first;
  }
  FlowDraft& known = it->second;
  auto events = LUZIA_TRY(decide(known.draft, std::move(command), meta.now));
  CommandMeta its = meta;
  if (its.cause == 0) its.cause = known.draft.position;
  for (NewEvent& event : events) {
    LUZIA_TRY(stage(its, std::move(event), known.draft.version + 1, nullptr, staged, known.flow));
    evolve(known.draft, *schema::GetEvent(staged.back().encoded.data()));
    its.cause = known.draft.position;
  }
  return {};
}

Result<Outcome> Engine::order_flow(const CommandMeta& meta, FlowOrder& order) {
  const bool creates = std::holds_alternative<CreateFlow>(order.command) && !flows_.contains(order.flow);
  std::vector<Staged> staged;
  FlowDrafts drafts;
  Status done = stage_flow(meta, order.flow, std::move(order.command), staged, drafts);
  if (done) done = fits_one_group(staged);
  if (!done) {
    if (creates) flows_.erase(order.flow);
    return tl::unexpected(done.error());
  }
  if (!staged.empty()) {
    append(staged);
    after_flow_changes(drafts);
  }
  return Outcome{{order.flow}, last_decided(), false};
}

Status Engine::try_new_flow(const CommandMeta& meta, const std::string& id, CreateFlow command) {
  if (failed_) return tl::unexpected(*failed_);
  if (flows_.contains(id)) return fail(ErrorKind::refused, "flow_exists", "flow " + id + " exists already");
  std::vector<Staged> staged;
  FlowDrafts drafts;
  Status done = stage_flow(meta, id, std::move(command), staged, drafts);
  if (done) done = fits_one_group(staged);
  flows_.erase(id);
  return done;
}

// ------------------------------------------------------------------------------------- what jobs bring

namespace {

/// `process_ended_us`: where the job ends with its process; else 0.
FlowCommand step_ended(const JobState& job, const schema::JobEndedT& fact, TimeUs process_ended_us) {
  NoteStepEnded note{job.spec->step, job.job};
  note.ended_us = process_ended_us;
  note.completed = fact.state == schema::JobState::completed;
  note.retriable = fact.state != schema::JobState::killed;
  if (note.completed) return note;
  note.error = fact.detail.empty() ? schema::EnumNameEndReason(fact.reason) : fact.detail;
  return note;
}

}  // namespace

Engine::FlowNotes Engine::notes_for_flow(const JobState& job, const std::vector<NewEvent>& events) {
  FlowNotes notes;
  TimeUs process_ended_us = 0;
  for (const NewEvent& event : events) {
    const auto* life = event.payload.AsJobEvent();
    if (life == nullptr) continue;
    const auto* queued = life->fact.AsJobQueued();
    const schema::JobSpecT* spec = queued ? queued->spec.get() : job.spec.get();
    if (spec == nullptr || spec->flow.empty()) return notes;
    notes.flow = spec->flow;
    if (queued != nullptr) {
      notes.new_job = true;
      notes.commands.emplace_back(NoteStepQueued{spec->step, queued->job});
    } else if (const auto* started = life->fact.AsAttemptStarted()) {
      notes.commands.emplace_back(NoteStepStarted{spec->step, job.job, started->attempt});
    } else if (const auto* attempt = life->fact.AsAttemptEnded()) {
      process_ended_us = attempt->ended_us;
    } else if (const auto* ended = life->fact.AsJobEnded()) {
      notes.commands.push_back(step_ended(job, *ended, process_ended_us));
    } else if (const auto* retried = life->fact.AsJobRetried(); retried && retried->answers.empty()) {
      // Where it goes on by itself the end before it was none; else somebody lets it run once more. With
      // answers it has not ended, but waited.
      const auto taken_back = std::erase_if(notes.commands, [](const FlowCommand& each) {
        return std::holds_alternative<NoteStepEnded>(each);
      });
      if (taken_back == 0) notes.commands.emplace_back(NoteStepRetried{spec->step, job.job});
    }
  }
  return notes;
}

Status Engine::may_remove(const JobState& job) {
  if (!job.spec || job.spec->flow.empty() || !is_terminal(job.state)) return {};
  const auto flow = flow_to_change(job.spec->flow);
  if (!flow) return flow.error().kind == ErrorKind::not_found ? Status() : tl::unexpected(flow.error());
  const view::FlowStepT* step = find_step(**flow, job.spec->step);
  const bool needed = (*flow)->state == view::FlowState::active && step != nullptr && step->job == job.job;
  if (!needed) return {};
  return fail(ErrorKind::refused, "flow_active",
              "cannot remove job " + job.job + ": flow " + (*flow)->id + ", whose step '" + step->name +
                  "' it did, has not ended",
              "luzia flow end " + (*flow)->id + " ends it first");
}

Status Engine::stage_notes(const CommandMeta& meta, FlowNotes notes, std::vector<Staged>& staged,
                           FlowDrafts& drafts) {
  for (FlowCommand& command : notes.commands) {
    const bool retried = std::holds_alternative<NoteStepRetried>(command);
    Status done = stage_flow(meta, notes.flow, std::move(command), staged, drafts);
    // Of a job that is there already: the flow has moved on without it, or is gone. But none is retried past
    // a gate that is shut, or cannot be looked at.
    const bool gone = !done && done.error().kind == ErrorKind::not_found;
    if (!done && (notes.new_job || (retried && !gone))) return done;
  }
  return {};
}

namespace {

void keep_only(std::set<std::string>& named, const std::vector<std::string>& ready) {
  std::erase_if(named,
                [&](const std::string& step) { return std::ranges::find(ready, step) == ready.end(); });
}

}  // namespace

void Engine::after_flow_changes(const FlowDrafts& drafts) {
  for (const auto& [id, known] : drafts) {
    touched_flows_.emplace_back(known.flow->position, id);
    // At once: by the time somebody looks, the flow may have been paused or ended meanwhile, what was named
    // refused for it, and all be as it was.
    if (const auto named = steps_named_.find(id); named != steps_named_.end()) {
      const std::vector<std::string> ready = ready_steps(*known.flow, std::numeric_limits<TimeUs>::max());
      keep_only(named->second, ready);
    }
    if (known.flow->state != view::FlowState::active) ended_flows_.emplace_back(known.flow->position, id);
  }
}

// ------------------------------------------------------------------------------------ handing over

void Engine::refuse_new_jobs(std::optional<Error> why) {
  no_new_jobs_ = std::move(why);
  if (no_new_jobs_) return;
  for (const auto& [flow, steps] : std::exchange(steps_named_, {})) flows_to_name_.insert(flow);
  for (const auto& [flow, moment] : delayed_flows_) flows_to_name_.insert(flow);
}

std::vector<std::string> Engine::ready_steps(const Flow& flow, TimeUs now) const {
  return steps_to_hand_over(flow, now, [this](const std::string& job) {
    const JobState* live = find_live(job);
    return live != nullptr && !is_terminal(live->state);
  });
}

/// Steps that are not ready any more are forgotten, so that they are named when they are once more (see
/// after_flow_changes() too).
void Engine::name_ready_steps(TimeUs now) {
  if (winding_up_ || no_new_jobs_) return;
  for (const std::string& id : std::exchange(flows_to_name_, {})) {
    delayed_flows_.erase(id);
    const Flow* flow = find_live_flow(id);
    if (flow == nullptr || flow->state != view::FlowState::active) {
      steps_named_.erase(id);
      continue;
    }
    if (flow->position > durable_) continue;  // looked at when that is durable
    if (const TimeUs later = next_hand_over(*flow, now); later != 0) delayed_flows_[id] = later;
    const std::vector<std::string> ready = ready_steps(*flow, now);
    std::set<std::string>& named = steps_named_[id];
    keep_only(named, ready);
    for (const std::string& step : ready) {
      if (named.insert(step).second && hooks_.step_ready) hooks_.step_ready(*flow, *find_step(*flow, step));
    }
    if (named.empty()) steps_named_.erase(id);
  }
}

void Engine::shift_flows(TimeUs by, TimeUs now, Position cause) {
  std::vector<std::string> delayed;
  for (const auto& [id, flow] : flows_) {
    const auto waits = [](const auto& step) { return step->not_before_us != 0; };
    if (std::ranges::any_of(flow.steps, waits)) delayed.push_back(id);
  }
  CommandMeta meta;
  meta.now = now;
  meta.cause = cause;
  for (const std::string& id : delayed) {
    FlowOrder order{id, ShiftFlow{by}};
    (void)order_flow(meta, order);
  }
}

void Engine::forget_ended_flows(Position cursor) {
  std::size_t left = ended_flows_.size();
  while (left-- > 0 && !ended_flows_.empty() && ended_flows_.front().first <= cursor) {
    const auto [position, id] = std::move(ended_flows_.front());
    ended_flows_.pop_front();
    const auto it = flows_.find(id);
    if (it == flows_.end() || it->second.state == view::FlowState::active) continue;
    if (it->second.position > cursor) {
      ended_flows_.emplace_back(it->second.position, id);
      continue;
    }
    steps_named_.erase(id);
    flows_.erase(it);
  }
}

}  // namespace luzia
