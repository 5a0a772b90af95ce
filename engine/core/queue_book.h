// The queue and the facts about it: switches, drains, breakers, agents' usage limits, budgets of a day. Loop
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
  /// `writer` and `refusals` outlive it.
  QueueBook(Capacity capacity, GroupWriter& writer, Refusals& refusals)
      : writer_(writer), refusals_(refusals), queue_(std::move(capacity)) {}

  Queue& queue() { return queue_; }
  const Queue& queue() const { return queue_; }
  /// Something may start that could not before.
  void mark_changed() { changed_ = true; }
  bool take_changed() { return std::exchange(changed_, false); }

  Result<Outcome> order(const CommandMeta& meta, const QueueOrder& order);
  Result<Outcome> order(const CommandMeta& meta, const DrainOrder& order);

  /// What an order means for its agent: an attempt that ended by a usage limit parks it, a person who lets
  /// such a job go on knows that the limit is over.
  void note_agent_limit(const JobState& job, const std::vector<NewEvent>& events, bool lets_go_on,
                        std::vector<schema::QueueFactUnion>& facts) const;
  Status stage_agent_facts(const CommandMeta& meta, const std::vector<schema::QueueFactUnion>& facts,
                           std::vector<StagedEvent>& staged);
  void take_agent_facts(const std::vector<schema::QueueFactUnion>& facts);

  /// How an attempt ended, for the breakers; they are told by note_outcomes().
  void add_outcome(Position position, AttemptOutcome outcome) {
    outcomes_.emplace_back(position, std::move(outcome));
  }
  void note_outcomes(TimeUs now);
  /// What the use that has grown since the last call means for the budgets of its day. Returns the position
  /// of the last fact that it recorded, 0: none.
  Position note_budgets(TimeUs now);
  void time_passed(TimeUs now);
  void clock_stepped(TimeUs step, TimeUs now, Position cause);
  /// When to call time_passed() next; 0: never.
  TimeUs next_moment(TimeUs now) const;

 private:
  Result<Outcome> resume_agent(const CommandMeta& meta, const QueueOrder& order);
  Result<Outcome> lift_budget(const CommandMeta& meta, const QueueOrder& order);
  /// A fact about the queue, on its project's stream or the system's.
  template <class Fact>
  Status stage(const CommandMeta& meta, Fact fact, std::vector<StagedEvent>& staged);
  /// The same by the engine itself, appended; whether it was taken.
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
  TimeUs waits_until_ = 0;  // what is due of breakers and agents' limits: a fact was refused
  std::vector<std::pair<Position, AttemptOutcome>> outcomes_;  // since the breakers were last told
};

}  // namespace luzia
