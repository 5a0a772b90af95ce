// The flow: a task of named steps that depend on one another, across jobs. Its state, the commands that
// change it, and decide() and evolve(), the two pure functions of its life. No clock, I/O, randomness or
// logging: time, ids and salts come in the command. Any thread.
//
// A step is done by a job, whose start and end change the step, or by people and scripts that report it. A
// running flow dispatches its ready steps as jobs. Which steps are ready follows from its state alone, so a
// crash loses no step and duplicates none: StepQueued is in the same group of the log as the job.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/event/event.h"
#include "view.fb.h"

namespace luzia {

/// The decider's state of one flow, and the row of the core view flows. An empty `id`: there is no such flow
/// yet.
using Flow = view::FlowT;

constexpr std::size_t kMaxFlowSteps = 256;
/// Maximum bytes of a name of a step, gate, tag or note; maximum bytes of an error, result, note value or
/// description.
constexpr std::size_t kMaxFlowName = 100, kMaxFlowText = 4096;
constexpr std::size_t kMaxFlowNotes = 64, kMaxFlowTags = 32;

struct NewStep {
  schema::FlowStepT step;  // `prompt` is made from the blob
  std::optional<Blob> prompt;
};

/// Creates a flow. Refused (usage):
/// - `bad_step`: a name is empty, too long, or contains '/' or control characters.
/// - `duplicate_step`, `too_many_steps`, `step_cycle`, `text_too_long`
/// - `unknown_step`: `needs` names no step.
/// - `no_steps`: a flow that runs by itself needs steps.
struct CreateFlow {
  std::string id;
  schema::FlowCreatedT flow;  // without steps
  std::vector<NewStep> steps;
};
/// A person or script begins a step; `job` does it, if given. Refused: `step_not_ready` (its dependencies are
/// not done), `gate_shut`, `step_over`, `step_busy`.
struct StartStep {
  std::string step;
  std::string job = {};
};
/// Ends a step, started or not. `state`: completed, failed or skipped. Refused: `step_over`, `gate_shut`, and
/// `step_busy` while a job does it, unless `job` is that job.
struct EndStep {
  std::string step;
  schema::StepState state = schema::StepState::completed;
  std::optional<Blob> output = {};
  std::string error = {};
  std::string job = {};
};
/// Resets a step so that it is done again, and with it all steps that depend on it and are over. If failed
/// steps have ended the flow, they are reset too. Refused: `step_busy`.
struct ResetStep {
  std::string step;
  std::string note;
};
/// Adds a step. An ended flow becomes active again.
struct AddStep {
  NewStep step;
};
struct TagFlow {
  std::vector<std::string> add, remove;
};
/// Sets a note; an empty value removes it.
struct NoteFlow {
  std::string key, value;
};
struct DecideStepGate {
  std::string step;
  bool open = false;
  std::string note;
};
struct PauseFlow {
  std::string note;
};
struct ResumeFlow {
  std::string note;
};
/// A person ends the flow as it is: completed if all steps are over, else cancelled.
struct EndFlow {
  std::string result;
};
struct ReopenFlow {
  std::string note;
};
/// Removes the flow from lists. If it becomes active again, lists show it again. Refused: `flow_active`.
struct RemoveFlow {
  std::string note;
};
/// A job for the step was queued. Refused like StartStep, so that the job is refused as a whole.
struct NoteStepQueued {
  std::string step, job;
};
/// A person retries the step's job, which has ended. If this job did the step last, the step belongs to it
/// again. That also holds if the flow was about to try the step again, or if the step was reset. No effect if
/// the step has moved on. Refused:
/// - `gate_shut`, unless the step is being done; whichever job did it last, and also in an ended flow.
/// - `step_not_ready`, if this job did it last: a dependency of the step must be done first.
struct NoteStepRetried {
  std::string step, job;
};
/// The job's attempt has started. No effect if the step is completed or skipped, or if another job is doing
/// it. If nobody is doing it, no effect unless its gate is open and its dependencies are done.
struct NoteStepStarted {
  std::string step, job;
  std::uint32_t attempt = 1;
};
/// The job has ended. No effect if the step no longer belongs to this job. `retriable`: no person stopped it,
/// so a step with tries left is done again. `ended_us`: when its process ended according to luzia-run; 0: no
/// process, it ended just now.
struct NoteStepEnded {
  std::string step, job;
  bool completed = false;
  bool retriable = false;
  std::string error = {};
  TimeUs ended_us = 0;
};
/// The wall clock was stepped by `by`.
struct ShiftFlow {
  TimeUs by;
};

using FlowCommand = std::variant<CreateFlow, StartStep, EndStep, ResetStep, AddStep, TagFlow, NoteFlow,
                                 DecideStepGate, PauseFlow, ResumeFlow, EndFlow, ReopenFlow, RemoveFlow,
                                 NoteStepQueued, NoteStepRetried, NoteStepStarted, NoteStepEnded, ShiftFlow>;

/// The events that `command` leads to (none: nothing to do), or why it is refused. Any command may also be
/// refused with `no_such_flow`, `no_such_step` or `flow_ended`.
Result<std::vector<NewEvent>> decide(const Flow& state, FlowCommand command, TimeUs now);
/// `too_many_steps` (usage). For callers that look at each step before.
Status check_step_count(std::size_t steps);

void evolve(Flow& state, const schema::Event& event);

/// "flow/ID", and the id in such a name (empty: another stream).
std::string flow_stream(std::string_view flow);
std::string_view flow_of_stream(std::string_view stream);

/// The id to report for a command's event in this stream: job or solution. A flow's id is reported only if
/// `known` is empty, because a job's command reports only the job.
std::string_view subject_of_stream(std::string_view stream, const std::vector<std::string>& known);

const view::FlowStepT* find_step(const Flow& state, std::string_view step);
/// Whether all of its dependencies are completed or skipped.
bool needs_are_met(const Flow& state, const view::FlowStepT& step);

/// Whether a job has not ended yet.
using JobGoesOn = std::function<bool(const std::string& job)>;

/// Steps that an active flow dispatches as jobs now, in the order of the file. A job that reported its own
/// step as done may still be at work: steps that depend on it wait for the job's end.
std::vector<std::string> steps_to_dispatch(const Flow& state, TimeUs now, const JobGoesOn& goes_on);
/// Steps that people have to do now, in the order of the file: steps of an active flow without a prompt, not
/// begun, with an open gate and all dependencies met. The pointers are valid as long as the flow.
std::vector<const view::FlowStepT*> manual_steps(const Flow& state);
/// When steps_to_dispatch() changes merely because time passes; 0: never.
TimeUs next_dispatch(const Flow& state, TimeUs now);

/// Splits "FLOW/STEP" into its two parts; the step may contain slashes. nullopt: not of that form.
std::optional<std::pair<std::string, std::string>> split_flow_step(std::string_view name);

}  // namespace luzia
