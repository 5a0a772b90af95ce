// Flows that are active, or not yet in the views: their commands, what jobs bring about in them, and the
// steps that are to be dispatched as jobs. Loop thread.
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

/// The flow as it will be when what is staged is appended.
struct FlowDraft {
  Flow* flow = nullptr;
  Flow draft;
};
using FlowDrafts = std::map<std::string, FlowDraft>;

/// What one order's events of a job mean for its step: read before these are staged, staged after them.
struct FlowNotes {
  std::string flow;
  std::vector<FlowCommand> commands;
  bool new_job = false;
};

class FlowBook {
 public:
  /// Whether there is such a job that has not ended.
  using IsLive = std::function<bool(const std::string& job)>;
  /// A step is to be dispatched; again after a crash.
  using StepReady = std::function<void(const Flow&, const view::FlowStepT&)>;
  /// `writer` and `history` outlive it.
  FlowBook(GroupWriter& writer, History& history, IsLive is_live, StepReady step_ready)
      : writer_(writer),
        history_(history),
        is_live_(std::move(is_live)),
        step_ready_(std::move(step_ready)) {}

  /// Start: a flow as the views know it.
  void load(Flow flow);
  /// Start: every flow is looked at.
  void resume();
  const Flow* find(std::string_view flow) const;
  Result<Outcome> order(const CommandMeta& meta, FlowOrder& order);
  /// Why that flow would be refused now; nothing is changed.
  Status try_new(const CommandMeta& meta, const std::string& id, CreateFlow command);
  static FlowNotes notes_for(const JobState& job, const std::vector<NewEvent>& events);
  /// Refused only where a new job is, or one that is retried has its gate before it.
  Status stage_notes(const CommandMeta& meta, FlowNotes notes, std::vector<StagedEvent>& staged,
                     FlowDrafts& drafts);
  /// What was staged with these drafts has been appended.
  void after_changes(const FlowDrafts& drafts);
  /// `flow_active`: a flow that has not ended still tells of the job, which did one of its steps.
  Status may_remove(const JobState& job);
  /// Steps of the flow that are to be dispatched now.
  std::vector<std::string> ready_steps(const Flow& flow, TimeUs now) const;
  /// Tells of steps that have become ready. After each turn, while jobs are taken.
  void name_ready_steps(TimeUs now, Position durable);
  /// Jobs are taken again: ready steps are told of once more.
  void name_again();
  /// The log is durable up to there.
  void committed(Position durable);
  void time_passed(TimeUs now);
  /// When to look again; 0: never.
  TimeUs next_moment() const;
  /// The clock stepped: open delays move with it.
  void shift(TimeUs by, TimeUs now, Position cause);
  /// Forgets ended flows that the views hold since `cursor`.
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
  std::set<std::string> flows_to_name_;  // durable; their steps are named in the next turn
  std::map<std::string, std::set<std::string>> steps_named_;  // by flow: those that step_ready was told of
  std::map<std::string, TimeUs> delayed_flows_;               // when to look at them again
  std::deque<std::pair<Position, std::string>> ended_flows_;  // leave memory once in the views
};

}  // namespace luzia
