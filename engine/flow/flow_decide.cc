// decide: the commands of a flow, one function each. Each works on a draft of the flow, so that what follows
// from a fact (a gate is reached, the flow ends) is decided on the state after it.
#include <algorithm>
#include <set>

#include "engine/base/utf8.h"
#include "engine/flow/flow_facts.h"

namespace luzia {
namespace {

using schema::StepState;
using view::GateState;

using Decided = Result<std::vector<NewEvent>>;

/// Delay before a failed step is tried again; doubles with each try.
constexpr TimeUs kStepBackoff = 5 * kSecondUs;
constexpr std::uint32_t kMostDoublings = 8;

/// The flow as it will be, and the events that lead there.
class Draft {
 public:
  Draft(const Flow& state, TimeUs now) : state_(state), now_(now) {}

  template <class Fact>
  void add(Fact fact, std::vector<Blob> blobs = {}) {
    schema::FlowFactUnion u;
    u.Set(std::move(fact));
    ended_a_step_ = ended_a_step_ || u.AsStepEnded() != nullptr;
    apply_fact(state_, u, now_, 0);
    events_.push_back(new_event(flow_stream(state_.id), std::move(u)));
    events_.back().blobs = std::move(blobs);
  }
  const Flow& state() const { return state_; }
  bool ended_a_step() const { return ended_a_step_; }
  TimeUs now() const { return now_; }
  std::vector<NewEvent> take() { return std::move(events_); }

 private:
  Flow state_;
  TimeUs now_;
  bool ended_a_step_ = false;
  std::vector<NewEvent> events_;
};

bool is_busy(const view::FlowStepT& step) {
  return step.queued || step.state == StepState::in_progress;
}

// ------------------------------------------------------------------------------------------ refusals

tl::unexpected<Error> no_such_step(const Flow& flow, const std::string& step) {
  std::string names;
  for (const auto& each : flow.steps) names += (names.empty() ? "" : ", ") + each->name;
  if (names.size() > 400) names = names.substr(0, 400) + " ...";
  return fail(ErrorKind::not_found, "no_such_step", "flow " + flow.id + " has no step '" + step + "'",
              names.empty() ? "luzia flow add " + flow.id + " adds one" : "its steps: " + names);
}

Status still_goes(const Flow& flow) {
  if (flow.state == view::FlowState::active) return {};
  return fail(ErrorKind::refused, "flow_ended",
              "flow " + flow.id + " has ended (" + view::EnumNameFlowState(flow.state) + ")",
              "luzia flow reopen " + flow.id + " lets it go on");
}

Status not_over(const Flow& flow, const view::FlowStepT& step) {
  if (!step_is_over(step.state)) return {};
  return fail(ErrorKind::refused, "step_over",
              step_place(flow, step) + " is " + schema::EnumNameStepState(step.state) + " already",
              "luzia flow reset " + flow.id + " '" + step.name + "' lets it be done again");
}

Status not_busy(const Flow& flow, const view::FlowStepT& step) {
  if (!is_busy(step)) return {};
  return fail(
      ErrorKind::refused, "step_busy",
      step_place(flow, step) + (step.job.empty() ? " is in progress" : " is being done by job " + step.job),
      step.job.empty() ? "complete or fail it first" : "luzia cancel " + step.job + " ends that");
}

Status is_startable(const Flow& flow, const view::FlowStepT& step) {
  LUZIA_TRY(not_busy(flow, step));
  if (!needs_are_met(flow, step)) {
    std::string open;
    for (const std::string& name : step.needs) {
      const view::FlowStepT* needed = find_step(flow, name);
      if (needed && (needed->state == StepState::completed || needed->state == StepState::skipped)) continue;
      open += (open.empty() ? "" : ", ") + name;
    }
    return fail(ErrorKind::refused, "step_not_ready", step_place(flow, step) + " needs first: " + open,
                "complete or skip these");
  }
  return passes_gate(flow, step);
}

Result<const view::FlowStepT*> existing_step(const Flow& flow, const std::string& name) {
  const view::FlowStepT* step = find_step(flow, name);
  if (step == nullptr) return no_such_step(flow, name);
  return step;
}

// ------------------------------------------------------------------------------------- what follows

void suggest(Draft& draft, std::string_view step, StepState when) {
  std::vector<schema::FollowUpSuggestedT> found;
  for (const auto& each : draft.state().follow_ups) {
    if (each->step != step || each->when != when) continue;
    schema::FollowUpSuggestedT fact;
    fact.text = each->text;
    fact.step = each->step;
    fact.rule = step.empty() ? std::string("after the flow") : "after step " + each->step;
    fact.rule += std::string(" is ") + schema::EnumNameStepState(when);
    found.push_back(std::move(fact));
  }
  for (auto& fact : found) draft.add(std::move(fact));
}

void end_step(Draft& draft, schema::StepEndedT fact, std::vector<Blob> blobs = {}) {
  const std::string step = fact.step;
  const StepState state = fact.state;
  draft.add(std::move(fact), std::move(blobs));
  suggest(draft, step, state);
}

/// Steps that can no longer be done because a dependency has failed.
std::set<std::string_view> blocked_steps(const Flow& flow) {
  std::set<std::string_view> blocked;
  for (bool grown = true; std::exchange(grown, false);) {
    for (const auto& step : flow.steps) {
      if (step->state != StepState::pending || blocked.contains(step->name)) continue;
      const bool stuck = std::ranges::any_of(step->needs, [&](const std::string& name) {
        const view::FlowStepT* needed = find_step(flow, name);
        return needed && (needed->state == StepState::failed || blocked.contains(needed->name));
      });
      if (stuck) grown = blocked.insert(step->name).second || grown;
    }
  }
  return blocked;
}

/// Whether no step is under way and none can begin.
bool is_at_its_end(const Flow& flow) {
  if (flow.steps.empty() ||
      std::ranges::any_of(flow.steps, [](const auto& step) { return is_busy(*step); })) {
    return false;
  }
  const auto left =
      std::ranges::count_if(flow.steps, [](const auto& step) { return !step_is_over(step->state); });
  if (left == 0) return true;
  if (!flow.runs) return false;
  return !may_go_on(flow) || blocked_steps(flow).size() == static_cast<std::size_t>(left);
}

void end_flow(Draft& draft) {
  schema::FlowEndedT fact;
  fact.state = StepState::completed;
  for (const auto& step : draft.state().steps) {
    if (step->state != StepState::failed) continue;
    fact.state = StepState::failed;
    fact.result = "step '" + step->name + "' failed" + (step->error.empty() ? "" : ": " + step->error);
    fact.result = bounded_utf8(fact.result, kMaxFlowText);
    break;
  }
  for (const auto& step : draft.state().steps) fact.ended_us = std::max(fact.ended_us, step->ended_us);
  const StepState state = fact.state;
  draft.add(std::move(fact));
  suggest(draft, "", state);
}

/// Adds what follows from the draft: gates that are reached, and the flow's end.
void settle(Draft& draft) {
  if (draft.state().state != view::FlowState::active) return;
  // Only the end of a step ends a flow: a reopened flow waits for new steps.
  if (draft.ended_a_step() && is_at_its_end(draft.state())) return end_flow(draft);
  if (!may_go_on(draft.state())) return;
  std::vector<schema::StepGateReachedT> reached;
  for (const auto& step : draft.state().steps) {
    if (step->state != StepState::pending || step->gate.empty() || step->gate_state != GateState::shut)
      continue;
    if (!needs_are_met(draft.state(), *step)) continue;
    reached.push_back(schema::StepGateReachedT{{}, step->name, step->gate});
  }
  for (auto& fact : reached) draft.add(std::move(fact));
}

// ----------------------------------------------------------------------------------------- commands

void take_prompt(NewStep& step, std::vector<Blob>& blobs) {
  step.step.prompt.reset();
  if (!step.prompt) return;
  step.prompt->index = static_cast<std::uint32_t>(blobs.size());
  step.step.prompt = std::make_unique<schema::BlobRefT>(blob_ref(*step.prompt));
  blobs.push_back(std::move(*step.prompt));
}

Status check_follow_ups(const CreateFlow& command) {
  if (command.flow.follow_ups.size() > kMaxFlowSteps) {
    return fail(ErrorKind::usage, "too_many_follow_ups",
                "a flow has at most " + std::to_string(kMaxFlowSteps) + " follow-ups", "leave some out");
  }
  for (const auto& each : command.flow.follow_ups) {
    LUZIA_TRY(check_text(each->text, "a follow-up"));
    const auto named = [&](const NewStep& step) { return step.step.name == each->step; };
    if (each->step.empty() || std::ranges::any_of(command.steps, named)) continue;
    return fail(ErrorKind::usage, "unknown_step",
                "a follow-up comes after '" + each->step + "', which is not a step",
                "name one of the flow's steps, or none: then it comes after the flow");
  }
  return {};
}

Status apply(Draft& draft, CreateFlow command) {
  LUZIA_TRY(check_text(command.flow.description, "the flow's description"));
  LUZIA_TRY(check_steps(command.steps, {}));
  if (command.flow.runs && command.steps.empty()) {
    return fail(ErrorKind::usage, "no_steps", "a flow that runs by itself needs steps", "add [[steps]]");
  }
  if (command.flow.tags.size() > kMaxFlowTags) {
    return fail(ErrorKind::usage, "too_many_tags",
                "a flow has at most " + std::to_string(kMaxFlowTags) + " tags", "leave some out");
  }
  for (const std::string& tag : command.flow.tags) {
    LUZIA_TRY(check_name(tag, "a tag"));
  }
  LUZIA_TRY(check_follow_ups(command));
  schema::FlowCreatedT fact = std::move(command.flow);
  fact.flow = command.id;
  std::vector<Blob> blobs;
  for (NewStep& step : command.steps) {
    take_prompt(step, blobs);
    fact.steps.push_back(std::make_unique<schema::FlowStepT>(std::move(step.step)));
  }
  draft.add(std::move(fact), std::move(blobs));
  return {};
}

Status apply(Draft& draft, const StartStep& command) {
  LUZIA_TRY(still_goes(draft.state()));
  const auto step = LUZIA_TRY(existing_step(draft.state(), command.step));
  LUZIA_TRY(not_over(draft.state(), *step));
  LUZIA_TRY(is_startable(draft.state(), *step));
  schema::StepStartedT fact;
  fact.step = command.step;
  fact.job = command.job;
  draft.add(std::move(fact));
  return {};
}

Status apply(Draft& draft, EndStep command) {
  LUZIA_TRY(still_goes(draft.state()));
  const auto step = LUZIA_TRY(existing_step(draft.state(), command.step));
  LUZIA_TRY(not_over(draft.state(), *step));
  LUZIA_TRY(check_text(command.error, "the error"));
  const bool own = !command.job.empty() && command.job == step->job;
  if (!step->job.empty() && !own) {
    LUZIA_TRY(not_busy(draft.state(), *step));
  }
  if (command.state != StepState::skipped) {
    LUZIA_TRY(passes_gate(draft.state(), *step));
  }
  schema::StepEndedT fact;
  fact.step = command.step;
  fact.state = command.state;
  fact.error = std::move(command.error);
  fact.job = std::move(command.job);
  std::vector<Blob> blobs;
  if (command.output && !command.output->content.empty()) {
    fact.output = std::make_unique<schema::BlobRefT>(blob_ref(*command.output));
    blobs.push_back(std::move(*command.output));
  }
  end_step(draft, std::move(fact), std::move(blobs));
  return {};
}

void reopen(Draft& draft, const std::string& note) {
  if (draft.state().state == view::FlowState::active) return;
  draft.add(schema::FlowReopenedT{{}, note});
}

void reset(Draft& draft, const std::string& step, const std::string& note, bool shuts_gate = false) {
  draft.add(schema::StepResetT{{}, step, note, shuts_gate});
}

/// Resets a step on request of a person or job. This shuts its gate: the gate was opened for the earlier try.
void reset_anew(Draft& draft, const std::string& step, const std::string& note) {
  reset(draft, step, note, !find_step(draft.state(), step)->gate.empty());
}

/// The steps to reset: the step, those that depend on it and are over or have an open gate, and failed steps
/// if they keep the flow from continuing.
std::set<std::string> to_be_done_again(const Flow& flow, const std::string& step) {
  std::set<std::string> again = {step};
  for (const auto& each : flow.steps) {
    if (each->state == StepState::failed && flow.runs && !flow.keep_going) again.insert(each->name);
  }
  for (bool grown = true; std::exchange(grown, false);) {
    for (const auto& each : flow.steps) {
      const bool let_through = !each->gate.empty() && each->gate_state == GateState::opened;
      if (each->state == StepState::pending && !each->queued && !let_through) continue;
      const auto needs_one = [&](const std::string& name) { return again.contains(name); };
      if (std::ranges::any_of(each->needs, needs_one)) grown = again.insert(each->name).second || grown;
    }
  }
  return again;
}

Status apply(Draft& draft, const ResetStep& command) {
  const auto step = LUZIA_TRY(existing_step(draft.state(), command.step));
  LUZIA_TRY(not_busy(draft.state(), *step));
  if (!step_is_over(step->state) && step->not_before_us == 0) return {};
  const std::set<std::string> again = to_be_done_again(draft.state(), command.step);
  for (const std::string& name : again) {
    LUZIA_TRY(not_busy(draft.state(), *find_step(draft.state(), name)));
  }
  reopen(draft, command.note);
  for (const std::string& name : again) reset_anew(draft, name, command.note);
  return {};
}

Status apply(Draft& draft, AddStep command) {
  std::vector<std::string> known;
  for (const auto& step : draft.state().steps) known.push_back(step->name);
  std::vector<NewStep> added;
  added.push_back(std::move(command.step));
  LUZIA_TRY(check_steps(added, known));
  reopen(draft, "a step is added");
  std::vector<Blob> blobs;
  take_prompt(added.front(), blobs);
  schema::StepAddedT fact;
  fact.step = std::make_unique<schema::FlowStepT>(std::move(added.front().step));
  draft.add(std::move(fact), std::move(blobs));
  return {};
}

Status apply(Draft& draft, const TagFlow& command) {
  schema::FlowTaggedT fact;
  const auto& tags = draft.state().tags;
  const auto has = [](const std::vector<std::string>& list, const std::string& tag) {
    return std::ranges::find(list, tag) != list.end();
  };
  for (const std::string& tag : command.add) {
    LUZIA_TRY(check_name(tag, "a tag"));
    if (!has(tags, tag) && !has(fact.added, tag)) fact.added.push_back(tag);
  }
  for (const std::string& tag : command.remove) {
    if (has(tags, tag) && !has(fact.removed, tag)) fact.removed.push_back(tag);
  }
  if (tags.size() + fact.added.size() > kMaxFlowTags) {
    return fail(ErrorKind::refused, "too_many_tags",
                "a flow has at most " + std::to_string(kMaxFlowTags) + " tags", "take others away first");
  }
  if (!fact.added.empty() || !fact.removed.empty()) draft.add(std::move(fact));
  return {};
}

Status apply(Draft& draft, const NoteFlow& command) {
  LUZIA_TRY(check_name(command.key, "a note's key"));
  LUZIA_TRY(check_text(command.value, "a note"));
  const auto& notes = draft.state().notes;
  const auto known = std::ranges::find_if(notes, [&](const auto& note) { return note->key == command.key; });
  const std::string before = known == notes.end() ? std::string() : (*known)->value;
  if (before == command.value) return {};
  if (known == notes.end() && notes.size() >= kMaxFlowNotes) {
    return fail(ErrorKind::refused, "too_many_notes",
                "flow " + draft.state().id + " has " + std::to_string(kMaxFlowNotes) + " notes already",
                "an empty value takes one out");
  }
  draft.add(schema::FlowNotedT{{}, command.key, command.value});
  return {};
}

Status apply(Draft& draft, const DecideStepGate& command) {
  LUZIA_TRY(still_goes(draft.state()));
  const auto found = LUZIA_TRY(existing_step(draft.state(), command.step));
  const view::FlowStepT& step = *found;
  if (step.gate.empty()) {
    return fail(ErrorKind::not_found, "no_such_gate", step_place(draft.state(), step) + " has no gate");
  }
  if (step.gate_state == GateState::opened || step.gate_state == GateState::denied ||
      step_is_over(step.state)) {
    return fail(ErrorKind::refused, "already_decided",
                "gate '" + step.gate + "' of " + step_place(draft.state(), step) + " is decided already",
                "luzia flow history " + draft.state().id + " says by whom");
  }
  schema::StepGateDecidedT fact;
  fact.step = command.step;
  fact.gate = step.gate;
  fact.decision = command.open ? schema::Decision::approved : schema::Decision::denied;
  fact.note = command.note;
  schema::StepEndedT end;
  end.step = command.step;
  end.state = StepState::failed;
  end.error = "gate '" + step.gate + "' denied" + (command.note.empty() ? "" : ": " + command.note);
  LUZIA_TRY(check_text(end.error, "the note"));
  draft.add(std::move(fact));
  if (!command.open) end_step(draft, std::move(end));
  return {};
}

Status apply(Draft& draft, const PauseFlow& command) {
  LUZIA_TRY(still_goes(draft.state()));
  if (!draft.state().paused) draft.add(schema::FlowPausedT{{}, command.note});
  return {};
}

Status apply(Draft& draft, const ResumeFlow& command) {
  if (draft.state().paused) draft.add(schema::FlowResumedT{{}, command.note});
  return {};
}

Status apply(Draft& draft, const EndFlow& command) {
  LUZIA_TRY(still_goes(draft.state()));
  LUZIA_TRY(check_text(command.result, "the result"));
  const auto done = [](const auto& step) {
    return step->state == StepState::completed || step->state == StepState::skipped;
  };
  schema::FlowEndedT fact;
  fact.state = std::ranges::all_of(draft.state().steps, done) ? StepState::completed : StepState::skipped;
  fact.result = command.result;
  const StepState state = fact.state;
  draft.add(std::move(fact));
  suggest(draft, "", state);
  return {};
}

Status apply(Draft& draft, const ReopenFlow& command) {
  if (draft.state().state == view::FlowState::active) return {};
  reopen(draft, command.note);
  // After reopening, the failed steps are to be done.
  std::vector<std::string> failed;
  for (const auto& step : draft.state().steps) {
    if (step->state == StepState::failed) failed.push_back(step->name);
  }
  for (const std::string& step : failed) reset_anew(draft, step, command.note);
  return {};
}

Status apply(Draft& draft, const RemoveFlow& command) {
  const Flow& flow = draft.state();
  if (flow.state == view::FlowState::active) {
    return fail(ErrorKind::refused, "flow_active", "flow " + flow.id + " has not ended",
                "luzia flow end " + flow.id + " ends it");
  }
  LUZIA_TRY(check_text(command.note, "the note"));
  if (flow.removed_us != 0) return {};
  draft.add(schema::FlowRemovedT{{}, command.note});
  return {};
}

// --------------------------------------------------------------------------------- what jobs bring

Status apply(Draft& draft, const NoteStepQueued& command) {
  LUZIA_TRY(still_goes(draft.state()));
  const auto step = LUZIA_TRY(existing_step(draft.state(), command.step));
  if (step->state != StepState::failed) {
    LUZIA_TRY(not_over(draft.state(), *step));
  }
  LUZIA_TRY(is_startable(draft.state(), *step));
  if (step->state == StepState::failed) reset(draft, command.step, "");
  draft.add(schema::StepQueuedT{{}, command.step, command.job});
  return {};
}

Status apply(Draft& draft, const NoteStepRetried& command) {
  const view::FlowStepT* step = find_step(draft.state(), command.step);
  if (step == nullptr || is_busy(*step)) return {};
  LUZIA_TRY(passes_gate(draft.state(), *step));
  if (step->job != command.job || draft.state().state == view::FlowState::cancelled) return {};
  const bool failed = step->state == StepState::failed;
  if (!failed && step->state != StepState::pending) return {};
  LUZIA_TRY(is_startable(draft.state(), *step));
  const bool tries_again = step->not_before_us != 0;  // the flow would dispatch a job of its own
  reopen(draft, "job " + command.job + " is retried");
  if (failed || tries_again) reset(draft, command.step, "");
  draft.add(schema::StepQueuedT{{}, command.step, command.job});
  return {};
}

Status apply(Draft& draft, const NoteStepStarted& command) {
  const view::FlowStepT* step = find_step(draft.state(), command.step);
  if (step == nullptr || draft.state().state == view::FlowState::cancelled) return {};
  if (step->state == StepState::completed || step->state == StepState::skipped) return {};
  const bool is_free = !is_busy(*step) && gate_is_open(*step) && needs_are_met(draft.state(), *step);
  if (!is_free && (step->job != command.job || !step->queued)) return {};
  reopen(draft, "job " + command.job + " goes on");
  draft.add(schema::StepStartedT{{}, command.step, command.job, command.attempt});
  return {};
}

/// Keeps the end of a step from being before its start: luzia-run's clock may differ from the daemon's, or a
/// short job may end before its start is recorded.
TimeUs end_within(const view::FlowStepT& step, TimeUs ended_us, TimeUs now) {
  return ended_us == 0 ? 0 : std::max(std::min(ended_us, now), step.started_us);
}

Status apply(Draft& draft, const NoteStepEnded& command) {
  const view::FlowStepT* step = find_step(draft.state(), command.step);
  if (step == nullptr || !is_busy(*step) || step->job != command.job) return {};
  const bool again = !command.completed && command.retriable && draft.state().runs &&
                     draft.state().state == view::FlowState::active && step->tries <= step->retries;
  if (again) {
    schema::StepDelayedT fact;
    fact.step = command.step;
    fact.error = bounded_utf8(command.error, kMaxFlowText);
    const std::uint32_t doublings = std::min(step->tries > 0 ? step->tries - 1 : 0, kMostDoublings);
    fact.not_before_us = draft.now() + (kStepBackoff << doublings);
    draft.add(std::move(fact));
    return {};
  }
  schema::StepEndedT fact;
  fact.step = command.step;
  fact.job = command.job;
  fact.ended_us = end_within(*step, command.ended_us, draft.now());
  fact.state = command.completed ? StepState::completed : StepState::failed;
  fact.error = bounded_utf8(command.error, kMaxFlowText);
  end_step(draft, std::move(fact));
  return {};
}

Status apply(Draft& draft, const ShiftFlow& command) {
  std::vector<schema::StepDelayedT> moved;
  for (const auto& step : draft.state().steps) {
    if (step->not_before_us == 0 || step->state != StepState::pending || step->queued) continue;
    schema::StepDelayedT fact;
    fact.step = step->name;
    fact.not_before_us = std::max<TimeUs>(1, step->not_before_us + command.by);
    moved.push_back(std::move(fact));
  }
  for (auto& fact : moved) draft.add(std::move(fact));
  return {};
}

}  // namespace

Decided decide(const Flow& state, FlowCommand command, TimeUs now) {
  const auto* create = std::get_if<CreateFlow>(&command);
  if (create != nullptr && !state.id.empty()) {
    return fail(ErrorKind::refused, "flow_exists", "flow " + create->id + " exists already");
  }
  if (create == nullptr && state.id.empty()) {
    return fail(ErrorKind::not_found, "no_such_flow", "there is no such flow", "luzia flow list lists them");
  }
  Draft draft(state, now);
  const Status applied = std::visit(
      [&](auto&& order) { return apply(draft, std::forward<decltype(order)>(order)); }, std::move(command));
  if (!applied) return tl::unexpected(applied.error());
  settle(draft);
  return draft.take();
}

}  // namespace luzia
