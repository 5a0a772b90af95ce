// What is due: which due times of a schedule have passed, and the command that settles the next one. Pure;
// any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/schedule/cron.h"
#include "engine/schedule/schedule.h"

namespace luzia {

/// 9999-12-31: no rule is that rare.
constexpr TimeUs kNeverDue = 253'402'214'400 * kSecondUs;
/// The next time after `after`; kNeverDue: there is none.
TimeUs next_due(const Recurrence& rule, TimeUs after);

/// What happens to due times that passed while nobody acted: the last one is run, all are only noted, or each
/// is run, one after another, the last kMostCaughtUp of them.
enum class Missed : std::uint8_t { once, skip, all };
constexpr std::uint64_t kMostCaughtUp = 100;

struct DuePolicy {
  Missed missed = Missed::once;
  Overlap overlap = Overlap::skip;
};

/// What is due at `now`.
struct DueTimes {
  TimeUs due = 0, next = 0;  // the one to settle, and the one after it
  std::uint64_t missed = 0;  // due times before it, which it settles too
  bool is_late = false;      // nobody acted when it was due
};
/// `first`: the first due time that is not settled; not after `now`. However many have passed, one command
/// settles all but the last one, or with `each` all but the last kMostCaughtUp.
DueTimes due_times(const Recurrence& rule, TimeUs first, TimeUs now, bool each);

/// The command for the next due time, still without the job that it may lead to; nullopt: nothing is due, or
/// it waits. `last_lives`: as in decide().
std::optional<ScheduleCommand> due_command(const Schedule& state, const Recurrence& rule,
                                           const DuePolicy& policy, bool last_lives, TimeUs now);

}  // namespace luzia
