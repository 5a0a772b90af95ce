// Flows that are active or not yet in the views: their commands, what jobs change in them, and which steps
// are ready to be dispatched as jobs. Loop thread.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/group_writer.h"

namespace luzia {

/// The flow as it will be once the staged events are appended.
struct FlowDraft {
  Flow* flow = nullptr;
  Flow draft;
};
using FlowDrafts = std::map<std::string, FlowDraft>;

/// What a job command's events mean for the flow step of that job. Computed before these events are staged;
/// staged after them.
struct FlowNotes {
  std::string flow;
  std::vector<FlowCommand> commands;
  bool new_job = false;
};

class FlowBook {
 public:
  /// Whether a job with this id exists and has not ended.
  using IsLive = std::function<bool(const std::string& job)>;
  /// A step is ready to be dispatched. Called again after a restart.
  using StepReady = std::function<void(const Flow&, const view::FlowStepT&)>;
  /// `writer` and `history` must outlive it.
  FlowBook(GroupWriter& writer, History& history, IsLive is_live, StepReady step_ready)
      : writer_(writer),
        history_(history),
        is_live_(std::move(is_live)),
        step_ready_(std::move(step_ready)) {}

  /// Start: a flow as the views hold it.
  void load(Flow flow);
  /// Start: looks at every flow.
  void resume();
  const Flow* find(std::string_view flow) const;
  Result<Outcome> run(const CommandMeta& meta, ToFlow& item);
  /// Why creating that flow would be refused now. Changes nothing.
  Status try_new(const CommandMeta& meta, const std::string& id, CreateFlow command);
  static FlowNotes notes_for(const JobState& job, const std::vector<NewEvent>& events);
  /// Refused only if the job is new, or if it is retried and its step's gate is not open.
  Status stage_notes(const CommandMeta& meta, FlowNotes notes, std::vector<StagedEvent>& staged,
                     FlowDrafts& drafts);
  /// The events staged with these drafts have been appended.
  void after_changes(const FlowDrafts& drafts);
  /// Error `flow_active`: the job did a step of a flow that has not ended and still refers to it.
  Status may_remove(const JobState& job) const;
  /// Steps of the flow that are ready to be dispatched now.
  std::vector<std::string> ready_steps(const Flow& flow, TimeUs now) const;
  /// Reports steps that have become ready. Call after each turn while new jobs are accepted.
  void name_ready_steps(TimeUs now, Position durable);
  /// New jobs are accepted again: ready steps are reported once more.
  void name_again();
  /// The log is durable up to this position.
  void committed(Position durable);
  void time_passed(TimeUs now);
  /// When to call time_passed() next; 0: never.
  TimeUs next_moment() const;
  /// The wall clock was stepped by `by`: open delays move with it.
  void shift(TimeUs by, TimeUs now, Position cause);
  /// Forgets ended flows that the views hold up to `cursor`.
  void views_reached(Position cursor);

 private:
  Result<Flow*> to_change(const std::string& flow);
  Status stage(const CommandMeta& meta, const std::string& flow, FlowCommand command,
               std::vector<StagedEvent>& staged, FlowDrafts& drafts);

  GroupWriter& writer_;
  History& history_;
  IsLive is_live_;
  StepReady step_ready_;
  std::map<std::string, Flow, std::less<>> flows_;
  std::deque<std::pair<Position, std::string>> touched_flows_;  // to look at once durable
  std::set<std::string> flows_to_name_;  // durable; their ready steps are reported in the next turn
  std::map<std::string, std::set<std::string>> steps_named_;  // by flow: steps that step_ready was called for
  std::map<std::string, TimeUs> delayed_flows_;               // when to look at these flows again
  std::deque<std::pair<Position, std::string>> ended_flows_;  // to drop from memory once the views hold them
};

}  // namespace luzia
