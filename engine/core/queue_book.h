// The queue and the facts about it: pauses, drains, breakers, agents' usage limits, daily budgets. Loop
// thread.
#pragma once

#include <utility>
#include <vector>

#include "engine/core/group_writer.h"
#include "engine/core/refusals.h"
#include "engine/queue/scheduler.h"

namespace luzia {

class QueueBook {
 public:
  /// `writer` and `refusals` must outlive it.
  QueueBook(Capacity capacity, GroupWriter& writer, Refusals& refusals)
      : writer_(writer), refusals_(refusals), queue_(std::move(capacity)) {}

  Queue& queue() { return queue_; }
  const Queue& queue() const { return queue_; }
  /// Something may start now that could not before.
  void mark_changed() { changed_ = true; }
  bool take_changed() { return std::exchange(changed_, false); }

  Result<Outcome> run(const CommandMeta& meta, const ToQueue& item);
  Result<Outcome> run(const CommandMeta& meta, const ToDrain& item);

  /// Appends to `facts` what a job command means for the job's agent. An attempt that ended by a usage limit
  /// parks the agent. If a person lets such a job continue (`lets_go_on`), the limit counts as over.
  void note_agent_limit(const JobState& job, const std::vector<NewEvent>& events, bool lets_go_on,
                        std::vector<schema::QueueFactUnion>& facts) const;
  Status stage_agent_facts(const CommandMeta& meta, const std::vector<schema::QueueFactUnion>& facts,
                           std::vector<StagedEvent>& staged);
  void take_agent_facts(const std::vector<schema::QueueFactUnion>& facts, TimeUs now);

  /// Records how an attempt ended. note_outcomes() passes it to the breakers.
  void add_outcome(Position position, AttemptOutcome outcome) {
    outcomes_.emplace_back(position, std::move(outcome));
  }
  void note_outcomes(TimeUs now);
  /// Checks the growth in usage since the last call against the daily budgets. Returns the position of the
  /// last fact it recorded; 0: none.
  Position note_budgets(TimeUs now);
  void time_passed(TimeUs now);
  void clock_stepped(TimeUs step, TimeUs now, Position cause);
  /// When to call time_passed() next; 0: never.
  TimeUs next_moment(TimeUs now) const;

 private:
  Result<Outcome> resume_agent(const CommandMeta& meta, const ToQueue& item);
  Result<Outcome> lift_budget(const CommandMeta& meta, const ToQueue& item);
  /// Stages a fact about the queue on its project's stream or on "system".
  template <class Fact>
  Status stage(const CommandMeta& meta, Fact fact, std::vector<StagedEvent>& staged);
  /// Stages and appends one.
  template <class Fact>
  Status record(const CommandMeta& meta, Fact fact);
  /// Records a fact that is due; if it is refused, tries again later. Returns whether it was accepted.
  template <class Fact>
  bool note(const CommandMeta& meta, Fact fact);
  void close_due_breakers(TimeUs now);
  void shift_breakers(TimeUs by, TimeUs now, Position cause);
  void unpark_due_agents(TimeUs now);
  void cut_agent_limits(TimeUs now, Position cause);

  GroupWriter& writer_;
  Refusals& refusals_;
  Queue queue_;
  bool changed_ = true;
  // Set when a fact was refused: breakers and usage limits that are due wait until then.
  TimeUs waits_until_ = 0;
  std::vector<std::pair<Position, AttemptOutcome>> outcomes_;  // not yet passed to the breakers
};

}  // namespace luzia
