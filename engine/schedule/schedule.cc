#include "engine/schedule/schedule.h"

#include <algorithm>

#include "engine/base/utf8.h"
#include "engine/event/take_fact.h"

namespace luzia {
namespace {

using schema::DueOutcome;
using Decided = Result<ScheduleDecision>;

constexpr std::string_view kScheduleStream = "schedule/";

bool is_configured(const Schedule& state) {
  return state.position != 0 && state.dropped_us == 0;
}

Status check_configured(const Schedule& state, const std::string& name) {
  if (is_configured(state)) return {};
  return fail(ErrorKind::not_found, "no_such_schedule", "no schedule '" + name + "' is configured",
              "luzia schedule list shows them; a new one is a [[schedules]] in luzia.toml");
}

Status check_schedule_note(const std::string& note) {
  if (note.size() <= kMaxScheduleNote) return {};
  return fail(ErrorKind::usage, "text_too_long",
              "the note has more than the " + std::to_string(kMaxScheduleNote) + " bytes that are kept",
              "shorten it");
}

template <class ScheduleFactT>
Decided one_fact(const std::string& name, ScheduleFactT fact) {
  ScheduleDecision decision;
  decision.events.push_back(new_event(schedule_stream(name), std::move(fact)));
  return decision;
}

/// What a due time comes to that could run now. `fact` says which.
Decided run_or_wait(const Schedule& state, const std::string& name, schema::ScheduleDueT fact,
                    Overlap overlap, const std::string& job, const std::string& refused, bool last_lives) {
  const bool cancels = last_lives && overlap == Overlap::cancel;
  if (!refused.empty()) {
    fact.outcome = DueOutcome::refused;
    fact.note = bounded_utf8(refused, kMaxScheduleNote);
  } else if (last_lives) {
    const bool waits = cancels || (overlap == Overlap::queue && state.waiting_us == 0);
    fact.outcome = waits ? DueOutcome::waits : DueOutcome::skipped_overlap;
  } else {
    fact.outcome = DueOutcome::dispatched;
    fact.job = job;
  }
  const bool dispatches = fact.outcome == DueOutcome::dispatched;
  const bool waits = fact.outcome == DueOutcome::waits;
  ScheduleDecision decision = LUZIA_TRY(one_fact(name, std::move(fact)));
  decision.dispatches = dispatches;
  decision.cancels_last = cancels && waits;
  return decision;
}

Decided decide_on(const Schedule& /*state*/, const std::string& name, const SetSchedule& command,
                  bool /*last_lives*/) {
  schema::ScheduleSetT fact;
  fact.schedule = name;
  fact.project = command.project;
  fact.rule = command.rule;
  fact.time_zone = command.time_zone;
  fact.next_us = command.next;
  fact.fault = bounded_utf8(command.fault, kMaxScheduleNote);
  return one_fact(name, std::move(fact));
}

Decided decide_on(const Schedule& state, const std::string& name, const DropSchedule& /*command*/,
                  bool /*last_lives*/) {
  if (!is_configured(state)) return ScheduleDecision{};
  return one_fact(name, schema::ScheduleDroppedT{});
}

Decided decide_on(const Schedule& state, const std::string& name, const PauseSchedule& command,
                  bool /*last_lives*/) {
  LUZIA_TRY(check_configured(state, name));
  LUZIA_TRY(check_schedule_note(command.note));
  if (state.paused_us != 0) return ScheduleDecision{};
  return one_fact(name, schema::SchedulePausedT{{}, command.note});
}

Decided decide_on(const Schedule& state, const std::string& name, const ResumeSchedule& command,
                  bool /*last_lives*/) {
  LUZIA_TRY(check_configured(state, name));
  LUZIA_TRY(check_schedule_note(command.note));
  if (!state.fault.empty()) {
    return fail(ErrorKind::refused, "bad_schedule",
                "schedule '" + name + "' would never be due: its rule cannot be read: " + state.fault,
                "correct its [[schedules]] in luzia.toml; luzia schedule run " + name + " runs it once");
  }
  if (state.paused_us == 0) return ScheduleDecision{};
  // What is settled stays so, also if the clock was set back during the pause.
  return one_fact(name, schema::ScheduleResumedT{{}, command.note, std::max(command.next, state.next_us)});
}

Decided decide_on(const Schedule& state, const std::string& name, const SettleDue& command, bool last_lives) {
  LUZIA_TRY(check_configured(state, name));
  const bool settled = state.next_us == 0 || command.due < state.next_us;
  if (settled || state.paused_us != 0) return ScheduleDecision{};
  schema::ScheduleDueT fact;
  fact.due_us = command.due;
  fact.missed = command.missed;
  fact.next_us = command.next;
  fact.outcome = DueOutcome::skipped_missed;
  if (command.too_late) return one_fact(name, std::move(fact));
  return run_or_wait(state, name, std::move(fact), command.overlap, command.job, command.refused, last_lives);
}

Decided decide_on(const Schedule& state, const std::string& name, const TakeUpDue& command, bool last_lives) {
  LUZIA_TRY(check_configured(state, name));
  if (state.waiting_us == 0 || last_lives) return ScheduleDecision{};
  schema::ScheduleDueT fact;
  fact.due_us = state.waiting_us;
  return run_or_wait(state, name, std::move(fact), Overlap::skip, command.job, command.refused, false);
}

Decided decide_on(const Schedule& state, const std::string& name, const RunSchedule& command,
                  bool last_lives) {
  LUZIA_TRY(check_configured(state, name));
  const bool could_wait =
      command.overlap == Overlap::cancel || (command.overlap == Overlap::queue && state.waiting_us == 0);
  if (last_lives && (!could_wait || state.paused_us != 0)) {
    return fail(
        ErrorKind::refused, "schedule_busy",
        "job " + state.last_job + " of schedule '" + name + "' has not ended",
        "luzia wait " + state.last_job + " waits for it, luzia cancel " + state.last_job + " ends it");
  }
  return run_or_wait(state, name, {}, command.overlap, command.job, {}, last_lives);
}

// ---------------------------------------------------------------------------------------- evolution

void take(Schedule& state, const schema::ScheduleSet& fact, const schema::Event& event) {
  state.schedule = text(fact.schedule());
  state.project = text(fact.project());
  state.rule = text(fact.rule());
  state.time_zone = text(fact.time_zone());
  state.set_us = event.time_us();
  state.next_us = fact.next_us();
  state.fault = text(fact.fault());
  state.dropped_us = state.waiting_us = 0;
}

void count_outcome(Schedule& state, const schema::ScheduleDue& fact, TimeUs at) {
  switch (fact.outcome()) {
    case DueOutcome::dispatched:
      ++state.dispatched;
      state.last_job = text(fact.job());
      state.waiting_us = 0;
      break;
    case DueOutcome::waits:
      if (state.waiting_us != 0) ++state.skipped_overlap;  // the later one takes its place
      state.waiting_us = fact.due_us() != 0 ? fact.due_us() : at;
      break;
    case DueOutcome::skipped_overlap:
      ++state.skipped_overlap;
      break;
    case DueOutcome::skipped_missed:
      ++state.skipped_missed;
      break;
    case DueOutcome::refused:
      ++state.refused;
      if (fact.due_us() == state.waiting_us) state.waiting_us = 0;
      break;
  }
}

void take(Schedule& state, const schema::ScheduleDue& fact, const schema::Event& event) {
  if (fact.next_us() != 0) state.next_us = fact.next_us();
  count_outcome(state, fact, event.time_us());
  state.skipped_missed += fact.missed();
  state.last_us = event.time_us();
  state.last_due_us = fact.due_us();
  state.last_outcome = fact.outcome();
  state.note = text(fact.note());
}

void take(Schedule& state, const schema::SchedulePaused& fact, const schema::Event& event) {
  state.paused_us = event.time_us();
  state.paused_by = actor_name(event);
  state.pause_note = text(fact.note());
  state.waiting_us = 0;
}

void take(Schedule& state, const schema::ScheduleResumed& fact, const schema::Event& /*event*/) {
  state.next_us = fact.next_us();
  state.paused_us = 0;
  state.paused_by.clear();
  state.pause_note.clear();
}

void take(Schedule& state, const schema::ScheduleDropped& /*fact*/, const schema::Event& event) {
  state.dropped_us = event.time_us();
  state.next_us = state.waiting_us = 0;
}

}  // namespace

Decided decide(const Schedule& state, const std::string& name, const ScheduleCommand& command,
               bool last_lives) {
  return std::visit([&](const auto& one) { return decide_on(state, name, one, last_lives); }, command);
}

void evolve(Schedule& state, const schema::Event& event) {
  const auto* schedule = event.payload_as_ScheduleEvent();
  if (schedule == nullptr) return;
  state.version = event.version();
  state.position = event.position();
  take_fact(
      *schedule, [&](const schema::ScheduleSet& fact) { take(state, fact, event); },
      [&](const schema::ScheduleDue& fact) { take(state, fact, event); },
      [&](const schema::SchedulePaused& fact) { take(state, fact, event); },
      [&](const schema::ScheduleResumed& fact) { take(state, fact, event); },
      [&](const schema::ScheduleDropped& fact) { take(state, fact, event); });
}

std::string schedule_stream(std::string_view schedule) {
  return std::string(kScheduleStream).append(schedule);
}

std::string_view schedule_of_stream(std::string_view stream) {
  return stream.starts_with(kScheduleStream) ? stream.substr(kScheduleStream.size()) : std::string_view{};
}

}  // namespace luzia
