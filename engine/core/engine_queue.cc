// The engine and its queue: switches, breakers, starts.
#include <algorithm>
#include <utility>

#include "engine/core/engine.h"

namespace luzia {
namespace {

template <class Fact>
Fact named(const QueueOrder& order) {
  Fact fact;
  fact.project = order.project;
  fact.note = order.note;
  return fact;
}

schema::BreakerClosedT closing(const std::string& project) {
  schema::BreakerClosedT fact;
  fact.project = project;
  return fact;
}

schema::AgentUnparkedT unparking(const std::string& agent, const std::string& note) {
  schema::AgentUnparkedT fact;
  fact.agent = agent;
  fact.note = note;
  return fact;
}

}  // namespace

void Engine::load_queue_switch(const std::string& project, bool paused) {
  queue_.set_paused(project, paused);
}

void Engine::load_breaker(const schema::BreakerOpenedT& fact) {
  queue_.breakers().opened(fact);
}

void Engine::load_agent_limit(const schema::AgentParkedT& fact) {
  queue_.agent_limits().parked(fact);
}

void Engine::set_capacity(Capacity capacity) {
  queue_.set_capacity(std::move(capacity));
  queue_changed_ = true;
}

std::optional<Waiting> Engine::why_waiting(std::string_view job, TimeUs now) const {
  const JobState* state = find_live(job);
  return state == nullptr ? std::nullopt : queue_.why(*state, now);
}

std::optional<Waiting> Engine::wait_reason(std::string_view job, TimeUs now) const {
  const JobState* state = find_live(job);
  return state == nullptr ? std::nullopt : queue_.reason(*state, now);
}

void Engine::start_ready(TimeUs now) {
  if (winding_up_ || !queue_changed_) return;
  queue_changed_ = false;
  for (const std::string& job : queue_.starts(now)) {
    order_internally(job, StartAttempt{options_.boot_id}, now, 0);
  }
  queue_changed_ = false;
}

Result<Outcome> Engine::resume_agent(const CommandMeta& meta, const QueueOrder& order) {
  if (queue_.agent_limits().is_parked(order.agent)) {
    std::vector<Staged> staged;
    LUZIA_TRY(stage_queue(meta, unparking(order.agent, order.note), staged));
    append(staged);
    queue_.agent_limits().unparked(order.agent);
    queue_changed_ = true;
  }
  return Outcome{{}, last_decided(), false};
}

Result<Outcome> Engine::order_queue(const CommandMeta& meta, const QueueOrder& order) {
  if (!order.agent.empty()) return resume_agent(meta, order);
  if (order.budget) return lift_budget(meta, order);
  const bool switches = queue_.paused(order.project) != order.pause;
  const bool closes = !order.pause && queue_.breakers().is_open(order.project);
  std::vector<Staged> staged;
  Status staged_all;
  if (switches && order.pause) staged_all = stage_queue(meta, named<schema::QueuePausedT>(order), staged);
  if (switches && !order.pause) staged_all = stage_queue(meta, named<schema::QueueResumedT>(order), staged);
  if (staged_all && closes) staged_all = stage_queue(meta, closing(order.project), staged);
  if (!staged_all) return tl::unexpected(staged_all.error());
  if (!staged.empty()) append(staged);
  if (switches) queue_.set_paused(order.project, order.pause);
  if (!order.pause) queue_.breakers().resumed(order.project);
  queue_changed_ = queue_changed_ || switches || closes;
  return Outcome{{}, last_decided(), false};
}

namespace {

template <class Fact>
std::string stream_of(const Fact& fact) {
  return fact.project.empty() ? "system" : "project/" + fact.project;
}
/// An agent is no project's.
std::string stream_of(const schema::AgentParkedT&) {
  return "system";
}
std::string stream_of(const schema::AgentUnparkedT&) {
  return "system";
}

}  // namespace

template <class Fact>
Status Engine::stage_queue(const CommandMeta& meta, Fact fact, std::vector<Staged>& staged) {
  const std::string stream = stream_of(fact);
  schema::QueueFactUnion queue;
  queue.Set(std::move(fact));
  return stage(meta, new_event(stream, std::move(queue)), 0, nullptr, staged);
}

template <class Fact>
bool Engine::note_queue(const CommandMeta& meta, Fact fact) {
  const std::string stream = stream_of(fact);
  std::vector<Staged> staged;
  const Status done = stage_queue(meta, std::move(fact), staged);
  queue_fact_noted(meta, stream, done);
  if (done) append(staged);
  return done.has_value();
}

/// What has ended since the last call is told to the breakers.
void Engine::note_outcomes(TimeUs now) {
  for (const auto& [position, outcome] : std::exchange(outcomes_, {})) {
    auto opened = queue_.breakers().note(outcome, now);
    if (!opened) continue;
    CommandMeta meta;
    meta.now = now;
    meta.cause = position;
    if (note_queue(meta, *opened)) queue_.breakers().opened(*opened);
    queue_changed_ = true;
  }
}

void Engine::close_due_breakers(TimeUs now) {
  CommandMeta meta;
  meta.now = now;
  for (const std::string& project : queue_.breakers().due(now)) {
    if (note_queue(meta, closing(project))) queue_.breakers().closed(project);
    queue_changed_ = true;
  }
}

void Engine::shift_breakers(TimeUs by, TimeUs now, Position cause) {
  CommandMeta meta;
  meta.now = now;
  meta.cause = cause;
  for (const schema::BreakerOpenedT& moved : queue_.breakers().shifted(by)) {
    if (note_queue(meta, moved)) queue_.breakers().opened(moved);
  }
}

// ------------------------------------------------------------------------------------------- draining

Result<Outcome> Engine::order_drain(const CommandMeta& meta, const DrainOrder& order) {
  if (queue_.draining() == order.drain) return Outcome{{}, last_decided(), false};
  schema::QueueFactUnion fact;
  if (order.drain) {
    schema::DrainStartedT started;
    started.note = order.note;
    fact.Set(std::move(started));
  } else {
    schema::DrainEndedT ended;
    ended.note = order.note;
    fact.Set(std::move(ended));
  }
  std::vector<Staged> staged;
  LUZIA_TRY(stage(meta, new_event("system", std::move(fact)), 0, nullptr, staged));
  append(staged);
  queue_.set_draining(order.drain);
  queue_changed_ = true;
  return Outcome{{}, last_decided(), false};
}

// ------------------------------------------------------------------------------------ budgets of a day

Result<Outcome> Engine::lift_budget(const CommandMeta& meta, const QueueOrder& order) {
  Spending& spending = queue_.spending();
  if (spending.is_lifted(order.project, meta.now)) return Outcome{{}, last_decided(), false};
  if (spending.budgets().find(order.project) == nullptr && !spending.stopped_until(order.project, meta.now)) {
    const std::string whose = order.project.empty() ? "all projects together" : "project " + order.project;
    return fail(ErrorKind::refused, "no_budget", "there is no budget of a day for " + whose,
                order.project.empty() ? "luzia resume --project NAME --budget is about one project's"
                                      : "luzia resume --all --budget is about that of all together");
  }
  schema::ProjectBudgetLiftedT fact;
  fact.project = order.project;
  fact.note = order.note;
  fact.until_us = end_of_day(day_of(meta.now));
  std::vector<Staged> staged;
  LUZIA_TRY(stage_queue(meta, fact, staged));
  append(staged);
  spending.lifted(fact);
  queue_changed_ = true;
  return Outcome{{}, last_decided(), false};
}

/// What the use that has grown since the last call means for the budgets of its day.
void Engine::note_budgets(TimeUs now) {
  Position cause = 0;
  for (const Spending::Due& due : queue_.spending().due(now)) {
    CommandMeta meta;
    meta.now = now;
    meta.cause = due.cause;
    if (due.noted && note_queue(meta, *due.noted)) queue_.spending().noted(*due.noted);
    if (due.lifted && note_queue(meta, *due.lifted)) queue_.spending().lifted(*due.lifted);
    cause = last_decided();
    queue_changed_ = true;
  }
  stop_over_budget(now, cause);
}

void Engine::stop_over_budget(TimeUs now, Position cause) {
  for (const std::string& scope : queue_.spending().to_stop(now)) {
    std::vector<std::string> jobs;
    for (const auto& [id, job] : live_) {
      const bool runs = (job.state == schema::JobState::starting || job.state == schema::JobState::running ||
                         job.state == schema::JobState::waiting) &&
                        !job.attempt_over;
      // To stop an agent that has said how its work ended would save nothing.
      const bool goes_on = runs && !job.stop_requested && job.outcome == schema::AgentOutcome::none;
      if (goes_on && (scope.empty() || job.spec->project == scope)) jobs.push_back(id);
    }
    CancelJob stop;
    stop.note = "the budget of " + (scope.empty() ? "all projects together" : "project " + scope) +
                " for this day is used up";
    stop.reason = schema::StopReason::policy;
    for (const std::string& job : jobs) order_internally(job, stop, now, cause);
  }
}

// --------------------------------------------------------------------------------- agents' usage limits

namespace {

/// Whether an earlier order of the same command has done to the agent what can be done.
bool is_told(const std::string& agent, const std::vector<schema::QueueFactUnion>& facts) {
  return std::ranges::any_of(facts, [&](const schema::QueueFactUnion& fact) {
    return (fact.AsAgentUnparked() && fact.AsAgentUnparked()->agent == agent) ||
           (fact.AsAgentParked() && fact.AsAgentParked()->agent == agent);
  });
}

}  // namespace

void Engine::note_agent_limit(const JobState& job, const std::vector<NewEvent>& events, bool lets_go_on,
                              std::vector<schema::QueueFactUnion>& facts) const {
  for (const NewEvent& event : events) {
    const auto* lifecycle = event.payload.AsJobEvent();
    if (lifecycle == nullptr) continue;
    const auto* parked = lifecycle->fact.AsJobParked();
    if (parked == nullptr && lifecycle->fact.AsJobUnparked() == nullptr) continue;
    const std::string& agent = job.spec->agent;
    if (is_told(agent, facts)) continue;
    schema::QueueFactUnion queue;
    if (parked != nullptr) {
      auto fact = queue_.agent_limits().park(agent, *parked, job.job);
      if (fact) queue.Set(std::move(*fact));
    } else if (lets_go_on && queue_.agent_limits().is_parked(agent)) {
      queue.Set(unparking(agent, "job " + job.job + " is let go on"));
    }
    if (queue.type != schema::QueueFact::NONE) facts.push_back(std::move(queue));
  }
}

Status Engine::stage_agent_facts(const CommandMeta& meta, const std::vector<schema::QueueFactUnion>& facts,
                                 std::vector<Staged>& staged) {
  for (const schema::QueueFactUnion& fact : facts) {
    CommandMeta its = meta;
    its.cause = committer_.next_position() + staged.size() - 1;
    LUZIA_TRY(stage(its, new_event("system", fact), 0, nullptr, staged));
  }
  return {};
}

void Engine::take_agent_facts(const std::vector<schema::QueueFactUnion>& facts) {
  for (const schema::QueueFactUnion& fact : facts) {
    if (const auto* parked = fact.AsAgentParked()) queue_.agent_limits().parked(*parked);
    if (const auto* unparked = fact.AsAgentUnparked()) queue_.agent_limits().unparked(unparked->agent);
    queue_changed_ = true;
  }
}

void Engine::unpark_due_agents(TimeUs now) {
  CommandMeta meta;
  meta.now = now;
  for (const std::string& agent : queue_.agent_limits().due(now)) {
    if (note_queue(meta, unparking(agent, ""))) queue_.agent_limits().unparked(agent);
    queue_changed_ = true;
  }
}

void Engine::cut_agent_limits(TimeUs now, Position cause) {
  CommandMeta meta;
  meta.now = now;
  meta.cause = cause;
  for (const schema::AgentParkedT& nearer : queue_.agent_limits().cut(now)) {
    if (note_queue(meta, nearer)) queue_.agent_limits().parked(nearer);
  }
}

}  // namespace luzia
