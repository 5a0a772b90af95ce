#include "engine/schedule/due_times.h"

#include <algorithm>

namespace luzia {
namespace {

/// A due time that is older was missed.
constexpr TimeUs kDueGrace = kMinuteUs;

/// The last time but `later` that is not after `until`. There must be so many.
TimeUs time_before(const Recurrence& rule, TimeUs until, std::uint64_t later) {
  TimeUs span = kHourUs;
  std::uint64_t count = count_times(rule, until - span, until);
  for (; count <= later && span < kNeverDue / 4; count = count_times(rule, until - span, until)) span *= 2;
  TimeUs time = until - span;
  for (; count > later; --count) time = next_due(rule, time);
  return time;
}

}  // namespace

TimeUs next_due(const Recurrence& rule, TimeUs after) {
  return next_time(rule, after).value_or(kNeverDue);
}

DueTimes due_times(const Recurrence& rule, TimeUs first, TimeUs now, bool each) {
  const std::uint64_t behind = 1 + count_times(rule, first, now), kept = each ? kMostCaughtUp : 1;
  DueTimes found;
  found.missed = behind - std::min(behind, kept);
  found.due = found.missed == 0 ? first : time_before(rule, now, kept - 1);
  found.next = next_due(rule, found.due);
  found.is_late = now - found.due > kDueGrace;
  return found;
}

std::optional<ScheduleCommand> due_command(const Schedule& state, const Recurrence& rule,
                                           const DuePolicy& policy, bool last_lives, TimeUs now) {
  if (state.paused_us != 0) return std::nullopt;
  if (state.waiting_us != 0 && !last_lives) return TakeUpDue{};
  if (state.next_us == 0 || state.next_us > now) return std::nullopt;
  const bool each = policy.missed == Missed::all;
  const DueTimes due = due_times(rule, state.next_us, now, each);
  if (each && last_lives && due.is_late) return std::nullopt;  // one after another
  SettleDue command;
  command.due = due.due;
  command.next = due.next;
  command.missed = due.missed;
  command.overlap = policy.overlap;
  command.too_late = due.is_late && policy.missed == Missed::skip;
  return command;
}

}  // namespace luzia
