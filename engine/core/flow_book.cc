#include "engine/core/flow_book.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "engine/event/job_state.h"

namespace luzia {

void FlowBook::load(Flow flow) {
  const std::string id = flow.id;
  flows_.insert_or_assign(id, std::move(flow));
}

const Flow* FlowBook::find(std::string_view flow) const {
  const auto it = flows_.find(flow);
  return it == flows_.end() ? nullptr : &it->second;
}

Result<Flow*> FlowBook::to_change(const std::string& flow) {
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

Status FlowBook::stage(const CommandMeta& meta, const std::string& id, FlowCommand command,
                       std::vector<StagedEvent>& staged, FlowDrafts& drafts) {
  auto it = drafts.find(id);
  if (it == drafts.end()) {
    Flow* flow = nullptr;
    if (std::holds_alternative<CreateFlow>(command)) {
      flow = &flows_.try_emplace(id).first->second;
    } else {
      flow = LUZIA_TRY(to_change(id));
    }
    it = drafts.emplace(id, FlowDraft{flow, *flow}).first;
  }
  FlowDraft& known = it->second;
  auto events = LUZIA_TRY(decide(known.draft, std::move(command), meta.now));
  CommandMeta its = meta;
  if (its.cause == 0) its.cause = known.draft.position;
  for (NewEvent& event : events) {
    LUZIA_TRY(writer_.stage(its, std::move(event), known.draft.version + 1, nullptr, staged, known.flow));
    evolve(known.draft, *schema::GetEvent(staged.back().encoded.data()));
    its.cause = known.draft.position;
  }
  return {};
}

Result<Outcome> FlowBook::run(const CommandMeta& meta, ToFlow& item) {
  const bool creates = std::holds_alternative<CreateFlow>(item.command) && !flows_.contains(item.flow);
  std::vector<StagedEvent> staged;
  FlowDrafts drafts;
  Status done = stage(meta, item.flow, std::move(item.command), staged, drafts);
  if (done) done = GroupWriter::fits_one_group(staged);
  if (!done) {
    if (creates) flows_.erase(item.flow);
    return tl::unexpected(done.error());
  }
  if (!staged.empty()) {
    writer_.append(staged);
    after_changes(drafts);
  }
  return Outcome{{item.flow}, writer_.last_decided(), false};
}

Status FlowBook::try_new(const CommandMeta& meta, const std::string& id, CreateFlow command) {
  if (flows_.contains(id)) return fail(ErrorKind::refused, "flow_exists", "flow " + id + " exists already");
  std::vector<StagedEvent> staged;
  FlowDrafts drafts;
  Status done = stage(meta, id, std::move(command), staged, drafts);
  if (done) done = GroupWriter::fits_one_group(staged);
  flows_.erase(id);
  return done;
}

// ------------------------------------------------------------------------------------- what jobs bring

namespace {

/// `process_ended_us`: set if the job ends with its process; else 0.
FlowCommand step_ended(const JobState& job, const schema::JobEndedT& fact, TimeUs process_ended_us) {
  NoteStepEnded note{job.spec->step, job.job};
  note.ended_us = process_ended_us;
  note.completed = fact.state == schema::JobState::completed;
  note.retriable = fact.state != schema::JobState::killed;
  if (note.completed) return note;
  note.error = fact.detail.empty() ? schema::EnumNameEndReason(fact.reason) : fact.detail;
  return note;
}

void keep_only(std::set<std::string>& named, const std::vector<std::string>& ready) {
  std::erase_if(named,
                [&](const std::string& step) { return std::ranges::find(ready, step) == ready.end(); });
}

}  // namespace

FlowNotes FlowBook::notes_for(const JobState& job, const std::vector<NewEvent>& events) {
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
    } else if (life->fact.AsJobRetried() != nullptr) {
      // If the retry is automatic, the end staged just before it was not final. Otherwise, if the job had
      // ended, a person runs it once more. A retry of a job that waited changes nothing for the step.
      const auto taken_back = std::erase_if(notes.commands, [](const FlowCommand& each) {
        return std::holds_alternative<NoteStepEnded>(each);
      });
      if (taken_back == 0 && is_terminal(job.state))
        notes.commands.emplace_back(NoteStepRetried{spec->step, job.job});
    }
  }
  return notes;
}

Status FlowBook::may_remove(const JobState& job) const {
  if (!job.spec || job.spec->flow.empty() || !is_terminal(job.state)) return {};
  const Flow* flow = find(job.spec->flow);
  std::optional<Flow> loaded;
  if (flow == nullptr) {
    loaded = LUZIA_TRY(history_.load_flow(job.spec->flow));
    if (!loaded) return {};
    flow = &*loaded;
  }
  const view::FlowStepT* step = find_step(*flow, job.spec->step);
  const bool needed = flow->state == view::FlowState::active && step != nullptr && step->job == job.job;
  if (!needed) return {};
  return fail(ErrorKind::refused, "flow_active",
              "cannot remove job " + job.job + ": flow " + flow->id + ", whose step '" + step->name +
                  "' it did, has not ended",
              "luzia flow end " + flow->id + " ends it first");
}

Status FlowBook::stage_notes(const CommandMeta& meta, FlowNotes notes, std::vector<StagedEvent>& staged,
                             FlowDrafts& drafts) {
  for (FlowCommand& command : notes.commands) {
    const bool retried = std::holds_alternative<NoteStepRetried>(command);
    Status done = stage(meta, notes.flow, std::move(command), staged, drafts);
    // For an existing job a refusal is ignored, because the flow has moved on or is gone. The exception: no
    // job is retried past a gate that is shut or cannot be checked.
    const bool gone = !done && done.error().kind == ErrorKind::not_found;
    if (!done && (notes.new_job || (retried && !gone))) return done;
  }
  return {};
}

void FlowBook::after_changes(const FlowDrafts& drafts) {
  for (const auto& [id, known] : drafts) {
    touched_flows_.emplace_back(known.flow->position, id);
    // Now, not in the next turn: by then the flow may have been paused and resumed, and its steps look
    // unchanged. But a job dispatched for one of them meanwhile was refused, so the step must be reported
    // again.
    if (const auto named = steps_named_.find(id); named != steps_named_.end()) {
      const std::vector<std::string> ready = ready_steps(*known.flow, std::numeric_limits<TimeUs>::max());
      keep_only(named->second, ready);
    }
    if (known.flow->state != view::FlowState::active) ended_flows_.emplace_back(known.flow->position, id);
  }
}

// ---------------------------------------------------------------------------------------- dispatching

void FlowBook::name_again() {
  for (const auto& [flow, steps] : std::exchange(steps_named_, {})) flows_to_name_.insert(flow);
  for (const auto& [flow, moment] : delayed_flows_) flows_to_name_.insert(flow);
}

std::vector<std::string> FlowBook::ready_steps(const Flow& flow, TimeUs now) const {
  return steps_to_dispatch(flow, now, is_live_);
}

/// Steps that are no longer ready are forgotten, so that they are reported when they become ready again. See
/// also after_changes().
void FlowBook::name_ready_steps(TimeUs now, Position durable) {
  for (const std::string& id : std::exchange(flows_to_name_, {})) {
    delayed_flows_.erase(id);
    const Flow* flow = find(id);
    if (flow == nullptr || flow->state != view::FlowState::active) {
      steps_named_.erase(id);
      continue;
    }
    if (flow->position > durable) continue;  // looked at when its last event is durable
    if (const TimeUs later = next_dispatch(*flow, now); later != 0) delayed_flows_[id] = later;
    const std::vector<std::string> ready = ready_steps(*flow, now);
    std::set<std::string>& named = steps_named_[id];
    keep_only(named, ready);
    for (const std::string& step : ready) {
      if (named.insert(step).second && step_ready_) step_ready_(*flow, *find_step(*flow, step));
    }
    if (named.empty()) steps_named_.erase(id);
  }
}

void FlowBook::shift(TimeUs by, TimeUs now, Position cause) {
  std::vector<std::string> delayed;
  for (const auto& [id, flow] : flows_) {
    const auto waits = [](const auto& step) { return step->not_before_us != 0; };
    // Flows that ended, or were removed since, stay in memory for a while: nothing of them starts any more.
    const bool active = flow.state == view::FlowState::active;
    if (active && std::ranges::any_of(flow.steps, waits)) delayed.push_back(id);
  }
  CommandMeta meta = by_daemon(now, cause);
  for (const std::string& id : delayed) {
    ToFlow shifted{id, ShiftFlow{by}};
    (void)run(meta, shifted);
  }
}

void FlowBook::views_reached(Position cursor) {
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

void FlowBook::resume() {
  for (const auto& [id, flow] : flows_) flows_to_name_.insert(id);
}

void FlowBook::committed(Position durable) {
  while (!touched_flows_.empty() && touched_flows_.front().first <= durable) {
    flows_to_name_.insert(std::move(touched_flows_.front().second));
    touched_flows_.pop_front();
  }
}

void FlowBook::time_passed(TimeUs now) {
  for (const auto& [flow, moment] : delayed_flows_) {
    if (moment <= now) flows_to_name_.insert(flow);
  }
}

TimeUs FlowBook::next_moment() const {
  TimeUs earliest = 0;
  for (const auto& [flow, moment] : delayed_flows_) earliest = earlier_moment(earliest, moment);
  return earliest;
}

}  // namespace luzia
