#include "engine/core/queue_book.h"

#include <algorithm>

namespace luzia {
namespace {

/// Delay before a fact that was due and refused is tried again.
constexpr TimeUs kTryAgain = 10 * kSecondUs;

schema::BreakerClosedT closing(const std::string& project) {
  return {{}, project};
}

schema::AgentUnparkedT unparking(const std::string& agent, const std::string& note) {
  return {{}, agent, note};
}

/// Usage limits belong to an agent, and a drain to the daemon, not to a project.
template <class Fact>
std::string stream_of(const Fact& fact) {
  if constexpr (requires { fact.project; })
    if (!fact.project.empty()) return "project/" + fact.project;
  return "system";
}

/// Whether an earlier job command of the same batch has already parked or unparked this agent.
bool is_noted(const std::string& agent, const std::vector<schema::QueueFactUnion>& facts) {
  return std::ranges::any_of(facts, [&](const schema::QueueFactUnion& fact) {
    return (fact.AsAgentUnparked() && fact.AsAgentUnparked()->agent == agent) ||
           (fact.AsAgentParked() && fact.AsAgentParked()->agent == agent);
  });
}

}  // namespace

Result<Outcome> QueueBook::resume_agent(const CommandMeta& meta, const ToQueue& item) {
  if (queue_.stops().agent_limits.is_parked(item.agent)) {
    LUZIA_TRY(record(meta, unparking(item.agent, item.note)));
    queue_.stops().agent_limits.unparked(item.agent, meta.now);
    changed_ = true;
  }
  return Outcome{{}, writer_.last_decided(), false};
}

Result<Outcome> QueueBook::run(const CommandMeta& meta, const ToQueue& item) {
  if (!item.agent.empty()) return resume_agent(meta, item);
  if (item.budget) return lift_budget(meta, item);
  const bool switches = queue_.stops().paused.contains(item.project) != item.pause;
  const bool closes = !item.pause && queue_.stops().breakers.is_open(item.project);
  std::vector<StagedEvent> staged;
  Status staged_all;
  if (switches && item.pause)
    staged_all = stage(meta, schema::QueuePausedT{{}, item.project, item.note}, staged);
  if (switches && !item.pause)
    staged_all = stage(meta, schema::QueueResumedT{{}, item.project, item.note}, staged);
  if (staged_all && closes) staged_all = stage(meta, closing(item.project), staged);
  if (!staged_all) return tl::unexpected(staged_all.error());
  if (!staged.empty()) writer_.append(staged);
  if (switches) queue_.stops().set_paused(item.project, item.pause);
  if (!item.pause) queue_.stops().breakers.resumed(item.project);
  changed_ = changed_ || switches || closes;
  return Outcome{{}, writer_.last_decided(), false};
}

template <class Fact>
Status QueueBook::stage(const CommandMeta& meta, Fact fact, std::vector<StagedEvent>& staged) {
  const std::string stream = stream_of(fact);
  return writer_.stage(meta, new_event(stream, std::move(fact)), 0, nullptr, staged);
}

template <class Fact>
Status QueueBook::record(const CommandMeta& meta, Fact fact) {
  std::vector<StagedEvent> staged;
  LUZIA_TRY(stage(meta, std::move(fact), staged));
  writer_.append(staged);
  return {};
}

template <class Fact>
bool QueueBook::note(const CommandMeta& meta, Fact fact) {
  const std::string stream = stream_of(fact);
  const Status done = record(meta, std::move(fact));
  refusals_.note(stream, done);
  if (!done) waits_until_ = meta.now + kTryAgain;
  return done.has_value();
}

void QueueBook::note_outcomes(TimeUs now) {
  for (const auto& [position, outcome] : std::exchange(outcomes_, {})) {
    auto opened = queue_.stops().breakers.note(outcome, now);
    if (!opened) continue;
    CommandMeta meta = by_daemon(now, position);
    if (note(meta, *opened)) queue_.stops().breakers.opened(*opened);
    changed_ = true;
  }
}

void QueueBook::close_due_breakers(TimeUs now) {
  CommandMeta meta = by_daemon(now);
  for (const std::string& project : queue_.stops().breakers.due(now)) {
    if (note(meta, closing(project))) queue_.stops().breakers.closed(project);
    changed_ = true;
  }
}

void QueueBook::shift_breakers(TimeUs by, TimeUs now, Position cause) {
  CommandMeta meta = by_daemon(now, cause);
  for (const schema::BreakerOpenedT& moved : queue_.stops().breakers.shifted(by)) {
    if (note(meta, moved)) queue_.stops().breakers.opened(moved);
  }
}

// ------------------------------------------------------------------------------------------- draining

Result<Outcome> QueueBook::run(const CommandMeta& meta, const ToDrain& item) {
  if (queue_.stops().draining == item.drain) return Outcome{{}, writer_.last_decided(), false};
  LUZIA_TRY(item.drain ? record(meta, schema::DrainStartedT{{}, item.note})
                       : record(meta, schema::DrainEndedT{{}, item.note}));
  queue_.stops().draining = item.drain;
  changed_ = true;
  return Outcome{{}, writer_.last_decided(), false};
}

// ------------------------------------------------------------------------------------ budgets of a day

Result<Outcome> QueueBook::lift_budget(const CommandMeta& meta, const ToQueue& item) {
  Spending& spending = queue_.stops().spending;
  if (spending.is_lifted(item.project, meta.now)) return Outcome{{}, writer_.last_decided(), false};
  if (spending.budgets().find(item.project) == nullptr && !spending.stopped_until(item.project, meta.now)) {
    const std::string whose = item.project.empty() ? "all projects together" : "project " + item.project;
    return fail(ErrorKind::refused, "no_budget", "there is no budget of a day for " + whose,
                item.project.empty() ? "luzia resume --project NAME --budget is about one project's"
                                     : "luzia resume --all --budget is about that of all together");
  }
  const schema::ProjectBudgetLiftedT fact{{}, item.project, item.note, end_of_day(day_of(meta.now))};
  LUZIA_TRY(record(meta, fact));
  spending.lifted(fact);
  changed_ = true;
  return Outcome{{}, writer_.last_decided(), false};
}

Position QueueBook::note_budgets(TimeUs now) {
  Position cause = 0;
  for (const Spending::Due& due : queue_.stops().spending.due(now)) {
    CommandMeta meta = by_daemon(now, due.cause);
    if (due.noted && note(meta, *due.noted)) queue_.stops().spending.noted(*due.noted);
    if (due.lifted && note(meta, *due.lifted)) queue_.stops().spending.lifted(*due.lifted);
    cause = writer_.last_decided();
    changed_ = true;
  }
  return cause;
}

// --------------------------------------------------------------------------------- agents' usage limits

void QueueBook::note_agent_limit(const JobState& job, const std::vector<NewEvent>& events, bool lets_go_on,
                                 std::vector<schema::QueueFactUnion>& facts) const {
  for (const NewEvent& event : events) {
    const auto* lifecycle = event.payload.AsJobEvent();
    if (lifecycle == nullptr) continue;
    const auto* parked = lifecycle->fact.AsJobParked();
    const auto* retried = lifecycle->fact.AsJobRetried();
    const bool refused = retried != nullptr && retried->login_until_us != 0;
    if (parked == nullptr && !refused && lifecycle->fact.AsJobUnparked() == nullptr) continue;
    const std::string& agent = job.spec->agent;
    if (is_noted(agent, facts)) continue;
    const AgentLimits& limits = queue_.stops().agent_limits;
    schema::QueueFactUnion queue;
    if (parked != nullptr || refused) {
      auto fact = refused ? limits.park_for_login(agent, job.started_us, retried->login_until_us, job.job)
                          : limits.park(agent, *parked, job.job);
      if (fact) queue.Set(std::move(*fact));
    } else if (lets_go_on && limits.is_parked(agent)) {
      queue.Set(unparking(agent, "job " + job.job + " is let go on"));
    }
    if (queue.type != schema::QueueFact::NONE) facts.push_back(std::move(queue));
  }
}

Status QueueBook::stage_agent_facts(const CommandMeta& meta, const std::vector<schema::QueueFactUnion>& facts,
                                    std::vector<StagedEvent>& staged) {
  for (const schema::QueueFactUnion& fact : facts) {
    CommandMeta its = meta;
    its.cause = writer_.next_position() + staged.size() - 1;
    LUZIA_TRY(writer_.stage(its, new_event("system", fact), 0, nullptr, staged));
  }
  return {};
}

void QueueBook::take_agent_facts(const std::vector<schema::QueueFactUnion>& facts, TimeUs now) {
  for (const schema::QueueFactUnion& fact : facts) {
    if (const auto* parked = fact.AsAgentParked()) queue_.stops().agent_limits.parked(*parked);
    if (const auto* unparked = fact.AsAgentUnparked())
      queue_.stops().agent_limits.unparked(unparked->agent, now);
    changed_ = true;
  }
}

void QueueBook::unpark_due_agents(TimeUs now) {
  CommandMeta meta = by_daemon(now);
  for (const std::string& agent : queue_.stops().agent_limits.due(now)) {
    if (note(meta, unparking(agent, ""))) queue_.stops().agent_limits.unparked(agent, now);
    changed_ = true;
  }
}

void QueueBook::cut_agent_limits(TimeUs now, Position cause) {
  CommandMeta meta = by_daemon(now, cause);
  for (const schema::AgentParkedT& nearer : queue_.stops().agent_limits.cut(now)) {
    if (note(meta, nearer)) queue_.stops().agent_limits.parked(nearer);
  }
}

// ------------------------------------------------------------------------------------------------ time

void QueueBook::time_passed(TimeUs now) {
  changed_ = true;
  close_due_breakers(now);
  unpark_due_agents(now);
  queue_.stops().spending.time_passed();
}

void QueueBook::clock_stepped(TimeUs step, TimeUs now, Position cause) {
  waits_until_ = 0;
  shift_breakers(step, now, cause);
  queue_.stops().agent_limits.clock_stepped();
  cut_agent_limits(now, cause);
}

TimeUs QueueBook::next_moment(TimeUs now) const {
  TimeUs earliest = 0;
  const auto of_queue = [this](TimeUs moment) { return moment == 0 ? 0 : std::max(moment, waits_until_); };
  for (const TimeUs moment :
       {queue_.next_start_time(now), of_queue(queue_.stops().breakers.next_closing()),
        of_queue(queue_.stops().agent_limits.next_reset()), queue_.stops().spending.next_end(now),
        queue_.stops().spending.next_mark(now)}) {
    earliest = earlier_moment(earliest, moment);
  }
  return earliest;
}

}  // namespace luzia
