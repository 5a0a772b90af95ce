// The flow: a task of named steps that need one another, across jobs. Its state, the commands that change it,
// and the two pure functions of its life. No clock, I/O, randomness or logging here: time, ids and salts are
// in the command.
//
// A step is done by a job (the job's start and end move it), or by people and scripts that say so. A flow
// that runs hands its ready steps over as jobs by itself; which these are follows from its state alone, so a
// crash loses none and doubles none: StepQueued stands in the same group of the log as the job.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/event/event.h"
#include "view.fb.h"

namespace luzia {

/// The decider's state of one flow; also the row of core view flows. An empty `id` = no such flow.
using Flow = view::FlowT;

constexpr std::size_t kMaxFlowSteps = 256;
/// Of a step's name, a gate, a tag, a note's key; of an error, a result, a note's value, a description.
constexpr std::size_t kMaxFlowName = 100, kMaxFlowText = 4096;
constexpr std::size_t kMaxFlowNotes = 64, kMaxFlowTags = 32;

struct NewStep {
  schema::FlowStepT step;  // `prompt` is made from the blob
  std::optional<Blob> prompt;
};

/// Refused (usage): `bad_step` (a name that is empty, long, or holds '/' or control characters),
/// `duplicate_step`, `unknown_step` (in `needs`), `step_cycle`, `too_many_steps`, `no_steps` (of a flow that
/// runs), `text_too_long`.
struct CreateFlow {
  std::string id;
  schema::FlowCreatedT flow;  // without steps
  std::vector<NewStep> steps;
};
/// A person or script begins a step, `job` does it where there is one. Refused: `step_not_ready` (what it
/// needs is not done), `gate_shut`, `step_over`, `step_busy`.
struct StartStep {
  std::string step;
  std::string job = {};
};
/// Ends a step, whether it was started or not. `state`: completed, failed or skipped. Refused: `step_over`,
/// `gate_shut`, and `step_busy` while a job does it, unless it is that `job` itself that says so.
struct EndStep {
  std::string step;
  schema::StepState state = schema::StepState::completed;
  std::optional<Blob> output = {};
  std::string error = {};
  std::string job = {};
};
/// To do a step again, and with it what needs it and is over; where a failed step ends the flow, the failed
/// ones too. Refused: `step_busy`.
struct ResetStep {
  std::string step;
  std::string note;
};
/// An ended flow goes on with it.
struct AddStep {
  NewStep step;
};
struct TagFlow {
  std::vector<std::string> add, remove;
};
/// An empty value takes the key out.
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
/// A person ends it as it is: cancelled, or completed where all steps are over.
struct EndFlow {
  std::string result;
};
struct ReopenFlow {
  std::string note;
};
/// Leaves it out of lists; one that goes on is in them again. Refused: `flow_active`.
struct RemoveFlow {
  std::string note;
};
/// A job of the step was queued. Refused as StartStep, so that the job is refused as a whole.
struct NoteStepQueued {
  std::string step, job;
};
/// A person lets the job, which has ended, run once more: the step is its again where this job did it last,
/// also one that the flow was to try again, or that was reset. Nothing follows where the step has moved on.
/// Refused, whoever did the step last and also of a flow that has ended: `gate_shut`, unless it is being
/// done. Refused where this job did it last: `step_not_ready`, what it needs is to be done first.
struct NoteStepRetried {
  std::string step, job;
};
/// The job's attempt has started. Nothing follows where the step is completed or skipped, is being done by
/// another job, or is not being done and its gate is not open or what it needs is not done.
struct NoteStepStarted {
  std::string step, job;
  std::uint32_t attempt = 1;
};
/// The job has ended. Nothing follows where the step is not this job's any more. `retriable`: not a person's
/// will, so a step with tries left is done again. `ended_us`: when its process ended, as luzia-run has it; 0:
/// none did, it ended just now.
struct NoteStepEnded {
  std::string step, job;
  bool completed = false;
  bool retriable = false;
  std::string error = {};
  TimeUs ended_us = 0;
};
/// The wall clock stepped by so much.
struct ShiftFlow {
  TimeUs by;
};

using FlowCommand = std::variant<CreateFlow, StartStep, EndStep, ResetStep, AddStep, TagFlow, NoteFlow,
                                 DecideStepGate, PauseFlow, ResumeFlow, EndFlow, ReopenFlow, RemoveFlow,
                                 NoteStepQueued, NoteStepRetried, NoteStepStarted, NoteStepEnded, ShiftFlow>;

/// Events that `command` leads to (none: nothing to do), or why it is refused. Also refused: `no_such_flow`,
/// `no_such_step`, `flow_ended`.
Result<std::vector<NewEvent>> decide(const Flow& state, FlowCommand command, TimeUs now);

/// The state after `event` of this flow's stream.
void evolve(Flow& state, const schema::Event& event);

/// "flow/ID", and the id of such a name (empty: another stream).
std::string flow_stream(std::string_view flow);
std::string_view flow_of_stream(std::string_view stream);

/// What a command's event of this stream is about, for the command's answer: its job or solution; its flow
/// where nothing came before (`known`), since a job's command names the job alone.
std::string_view subject_of_stream(std::string_view stream, const std::vector<std::string>& known);

const view::FlowStepT* find_step(const Flow& state, std::string_view step);
/// Whether all that it needs is completed or skipped.
bool needs_are_met(const Flow& state, const view::FlowStepT& step);

/// Whether a job has not ended yet.
using JobGoesOn = std::function<bool(const std::string& job)>;

/// Steps that a flow which runs hands over as jobs now, in the order of the file. A job that said itself that
/// its step is done may still be at work: what needs the step waits for the job's end.
std::vector<std::string> steps_to_hand_over(const Flow& state, TimeUs now, const JobGoesOn& goes_on);
/// Steps that people are to do now, in the order of the file: those of a flow that runs which have no prompt,
/// nobody has begun, whose gate is open and whose needs are met. They live as long as the flow.
std::vector<const view::FlowStepT*> manual_steps(const Flow& state);
/// When to ask for steps_to_hand_over() again although nothing happened; 0 = never.
TimeUs next_hand_over(const Flow& state, TimeUs now);

/// "FLOW/STEP" taken apart; the step may hold anything but a slash. nullopt: not of that form.
std::optional<std::pair<std::string, std::string>> split_flow_step(std::string_view name);

}  // namespace luzia
