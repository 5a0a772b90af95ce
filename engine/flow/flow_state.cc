// evolve: the flow after one more event, and queries that follow from its state. Never fails; skips facts of
// newer programs.
#include <algorithm>

#include "engine/flow/flow_facts.h"
#include "engine/learning/learning.h"

namespace luzia {
namespace {

using schema::StepState;
using view::FlowState;
using view::GateState;

constexpr std::string_view kFlowStream = "flow/";
constexpr std::size_t kKeptSuggestions = 32;
constexpr std::size_t kKeptJobs = 32;

view::FlowStepT* step_of(const Flow& state, std::string_view name) {
  const auto it = std::ranges::find_if(state.steps, [&](const auto& step) { return step->name == name; });
  return it == state.steps.end() ? nullptr : it->get();
}

void add_step(Flow& state, const schema::FlowStepT& fact, Position position) {
  view::FlowStepT& step = *state.steps.emplace_back(std::make_unique<view::FlowStepT>());
  step.name = fact.name;
  step.needs = fact.needs;
  step.agent = fact.agent;
  step.gate = fact.gate;
  step.retries = fact.retries;
  step.description = fact.description;
  step.timeout_ms = fact.timeout_ms;
  step.tags = fact.tags;
  step.priority = fact.priority;
  if (!fact.prompt) return;
  step.has_prompt = true;
  step.prompt = std::make_unique<schema::BlobRefT>(*fact.prompt);
  step.prompt_position = position;
}

void create(Flow& state, const schema::FlowCreatedT& fact, TimeUs time, Position position) {
  state.id = fact.flow;
  state.project = fact.project;
  state.description = fact.description;
  state.tags = fact.tags;
  state.created_us = time;
  state.runs = fact.runs;
  state.max_running = fact.max_running;
  state.keep_going = fact.keep_going;
  state.user = fact.user;
  state.uid = fact.uid;
  state.source = fact.source;
  for (const auto& each : fact.follow_ups) {
    state.follow_ups.push_back(std::make_unique<schema::FollowUpT>(*each));
  }
  for (const auto& each : fact.steps) add_step(state, *each, position);
}

void set_job(view::FlowStepT& step, const std::string& job) {
  step.job = job;
  if (job.empty()) return;
  std::erase(step.jobs, job);
  step.jobs.push_back(job);
  if (step.jobs.size() > kKeptJobs) step.jobs.erase(step.jobs.begin());
}

void start(view::FlowStepT& step, const schema::StepStartedT& fact, TimeUs time) {
  const bool same_job = step.state == StepState::in_progress && step.job == fact.job && !fact.job.empty();
  if (!same_job) step.started_us = time;
  if (!step.queued && !same_job) ++step.tries;
  step.queued = false;
  step.state = StepState::in_progress;
  set_job(step, fact.job);
  step.ended_us = 0;
  step.error.clear();
  step.not_before_us = 0;
}

void end(view::FlowStepT& step, const schema::StepEndedT& fact, TimeUs time, Position position) {
  step.state = fact.state;
  step.ended_us = fact.ended_us != 0 ? fact.ended_us : time;
  step.error = fact.error;
  step.queued = false;
  if (!fact.job.empty()) set_job(step, fact.job);
  step.output_text.reset();
  step.output_position = 0;
  if (!fact.output) return;
  step.output_text = std::make_unique<schema::BlobRefT>(*fact.output);
  step.output_position = position;
}

void begin_anew(view::FlowStepT& step) {
  step.state = StepState::pending;
  step.gate_state = step.gate_state == GateState::denied ? GateState::shut : step.gate_state;
  step.queued = false;
  step.started_us = step.ended_us = step.not_before_us = 0;
  step.error.clear();
  step.output_text.reset();
  step.output_position = 0;
}

/// A person reset the step: tries count from the start again.
void reset(view::FlowStepT& step) {
  begin_anew(step);
  step.tries = step.failed_try = 0;
  step.failed_error.clear();
}

void note(Flow& state, const schema::FlowNotedT& fact) {
  std::erase_if(state.notes, [&](const auto& known) { return known->key == fact.key; });
  if (fact.value.empty()) return;
  auto& added = *state.notes.emplace_back(std::make_unique<schema::KeyValueT>());
  added.key = fact.key;
  added.value = fact.value;
}

void suggest(Flow& state, const schema::FollowUpSuggestedT& fact) {
  state.suggestions.push_back(std::make_unique<schema::FollowUpSuggestedT>(fact));
  if (state.suggestions.size() > kKeptSuggestions) state.suggestions.erase(state.suggestions.begin());
}

FlowState state_of_end(StepState state) {
  if (state == StepState::completed) return FlowState::completed;
  return state == StepState::failed ? FlowState::failed : FlowState::cancelled;
}

void reopen(Flow& state) {
  state.state = FlowState::active;
  state.ended_us = state.removed_us = 0;
  state.result.clear();
}

/// Applies facts about one step.
void apply_to_step(Flow& state, const schema::FlowFactUnion& fact, TimeUs time, Position position) {
  const auto with = [&](const auto* is, auto&& change) {
    if (is == nullptr) return;
    if (view::FlowStepT* step = step_of(state, is->step)) change(*step, *is);
  };
  with(fact.AsStepQueued(), [](view::FlowStepT& step, const schema::StepQueuedT& is) {
    step.queued = true;
    set_job(step, is.job);
    ++step.tries;
  });
  with(fact.AsStepStarted(), [&](auto& step, const auto& is) { start(step, is, time); });
  with(fact.AsStepEnded(), [&](auto& step, const auto& is) { end(step, is, time, position); });
  with(fact.AsStepReset(), [](auto& step, const auto& is) {
    reset(step);
    if (is.shuts_gate) step.gate_state = GateState::shut;
  });
  with(fact.AsStepDelayed(), [](auto& step, const auto& is) {
    begin_anew(step);
    step.not_before_us = is.not_before_us;
    if (is.error.empty()) return;
    step.failed_try = step.tries;
    step.failed_error = is.error;
  });
  with(fact.AsStepGateReached(), [](auto& step, const auto&) { step.gate_state = GateState::asked; });
  with(fact.AsStepGateDecided(), [](auto& step, const auto& is) {
    step.gate_state = is.decision == schema::Decision::approved ? GateState::opened : GateState::denied;
  });
}

bool runs_now(const Flow& state) {
  return state.runs && !state.paused && may_go_on(state);
}

/// Whether the step could begin: only time, a free slot or somebody to do it may be missing.
bool is_ready(const Flow& state, const view::FlowStepT& step) {
  return step.state == StepState::pending && !step.queued && gate_is_open(step) && needs_are_met(state, step);
}

bool needs_are_at_rest(const Flow& state, const view::FlowStepT& step, const JobGoesOn& goes_on) {
  return std::ranges::none_of(step.needs, [&](const std::string& name) {
    const view::FlowStepT* needed = find_step(state, name);
    return needed != nullptr && !needed->job.empty() && goes_on(needed->job);
  });
}

}  // namespace

void apply_fact(Flow& state, const schema::FlowFactUnion& fact, TimeUs time, Position position) {
  using schema::FlowFact;
  state.updated_us = time;
  switch (fact.type) {
    case FlowFact::NONE:
      return;
    case FlowFact::FlowCreated:
      return create(state, *fact.AsFlowCreated(), time, position);
    case FlowFact::StepQueued:
    case FlowFact::StepStarted:
    case FlowFact::StepEnded:
    case FlowFact::StepReset:
    case FlowFact::StepDelayed:
    case FlowFact::StepGateReached:
    case FlowFact::StepGateDecided:
      return apply_to_step(state, fact, time, position);
    case FlowFact::StepAdded:
      if (fact.AsStepAdded()->step) add_step(state, *fact.AsStepAdded()->step, position);
      return;
    case FlowFact::FlowEnded:
      state.state = state_of_end(fact.AsFlowEnded()->state);
      state.result = fact.AsFlowEnded()->result;
      state.ended_us = fact.AsFlowEnded()->ended_us != 0 ? fact.AsFlowEnded()->ended_us : time;
      return;
    case FlowFact::FlowReopened:
      return reopen(state);
    case FlowFact::FlowRemoved:
      state.removed_us = time;
      return;
    case FlowFact::FlowPaused:
      state.paused = true;
      return;
    case FlowFact::FlowResumed:
      state.paused = false;
      return;
    case FlowFact::FlowTagged: {
      const auto& tagged = *fact.AsFlowTagged();
      for (const std::string& tag : tagged.removed) std::erase(state.tags, tag);
      state.tags.insert(state.tags.end(), tagged.added.begin(), tagged.added.end());
      return;
    }
    case FlowFact::FlowNoted:
      return note(state, *fact.AsFlowNoted());
    case FlowFact::FollowUpSuggested:
      return suggest(state, *fact.AsFollowUpSuggested());
  }
}

void evolve(Flow& state, const schema::Event& event) {
  state.version = event.version();
  state.position = event.position();
  const auto* flow = event.payload_as_FlowEvent();
  if (flow == nullptr) return;
  schema::FlowEventT native;
  flow->UnPackTo(&native);
  apply_fact(state, native.fact, event.time_us(), event.position());
}

std::string flow_stream(std::string_view flow) {
  return std::string(kFlowStream).append(flow);
}

std::string_view flow_of_stream(std::string_view stream) {
  return stream.starts_with(kFlowStream) ? stream.substr(kFlowStream.size()) : std::string_view{};
}

std::string_view subject_of_stream(std::string_view stream, const std::vector<std::string>& known) {
  if (const std::string_view solution = solution_of_stream(stream); !solution.empty()) return solution;
  if (const std::string_view todo = todo_of_stream(stream); !todo.empty()) return todo;
  const std::string_view job = job_of_stream(stream);
  return job.empty() && known.empty() ? flow_of_stream(stream) : job;
}

const view::FlowStepT* find_step(const Flow& state, std::string_view name) {
  return step_of(state, name);
}

bool needs_are_met(const Flow& state, const view::FlowStepT& step) {
  return std::ranges::all_of(step.needs, [&](const std::string& name) {
    const view::FlowStepT* needed = find_step(state, name);
    return needed == nullptr || needed->state == StepState::completed || needed->state == StepState::skipped;
  });
}

bool may_go_on(const Flow& state) {
  if (state.state != FlowState::active) return false;
  return state.keep_going ||
         std::ranges::none_of(state.steps, [](const auto& step) { return step->state == StepState::failed; });
}

bool gate_is_open(const view::FlowStepT& step) {
  return step.gate.empty() || step.gate_state == GateState::opened;
}

std::vector<std::string> steps_to_dispatch(const Flow& state, TimeUs now, const JobGoesOn& goes_on) {
  std::vector<std::string> ready;
  if (!runs_now(state)) return ready;
  auto busy = static_cast<std::size_t>(std::ranges::count_if(state.steps, [](const auto& step) {
    return step->queued || (step->state == StepState::in_progress && !step->job.empty());
  }));
  for (const auto& step : state.steps) {
    if (state.max_running != 0 && busy >= state.max_running) break;
    if (!step->has_prompt || !is_ready(state, *step)) continue;
    if (step->not_before_us != 0 && step->not_before_us > now) continue;
    if (!needs_are_at_rest(state, *step, goes_on)) continue;
    ready.push_back(step->name);
    ++busy;
  }
  return ready;
}

std::vector<const view::FlowStepT*> manual_steps(const Flow& state) {
  std::vector<const view::FlowStepT*> steps;
  if (!runs_now(state)) return steps;
  for (const auto& step : state.steps) {
    if (!step->has_prompt && is_ready(state, *step)) steps.push_back(step.get());
  }
  return steps;
}

TimeUs next_dispatch(const Flow& state, TimeUs now) {
  TimeUs earliest = 0;
  if (!runs_now(state)) return earliest;
  for (const auto& step : state.steps) {
    if (!step->has_prompt || !is_ready(state, *step) || step->not_before_us <= now) continue;
    earliest = earlier_moment(earliest, step->not_before_us);
  }
  return earliest;
}

std::optional<std::pair<std::string, std::string>> split_flow_step(std::string_view name) {
  const std::size_t slash = name.find('/');
  if (slash == 0 || slash == std::string_view::npos || slash + 1 == name.size()) return std::nullopt;
  return std::pair{std::string(name.substr(0, slash)), std::string(name.substr(slash + 1))};
}

}  // namespace luzia
