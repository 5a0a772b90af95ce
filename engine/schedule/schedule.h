// Schedules: jobs that the configuration lets recur. The state of one, the commands that change it, and
// decide() and evolve(). No clock, I/O, randomness or logging: times come in the command. Any thread.
//
// The state holds the first due time that is not settled. Settling one moves it on, in the same group of the
// log as the job that it leads to. So no due time leads to two jobs, and none is forgotten while no daemon
// runs.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/event/event.h"
#include "view.fb.h"

namespace luzia {

/// Also the row of the core view schedules. Position 0: it never existed.
using Schedule = view::ScheduleT;

/// Maximum bytes of a name, and of a note.
constexpr std::size_t kMaxScheduleName = 100, kMaxScheduleNote = 4096;

/// What happens to a due time while the last job of the schedule has not ended: it is skipped; it waits for
/// that end (at most one does); or it waits and that job is cancelled.
enum class Overlap : std::uint8_t { skip, queue, cancel };

/// The configuration has it, new or with another rule. A pause stays.
struct SetSchedule {
  std::string project, rule, time_zone;
  TimeUs next = 0;         // 0: the rule cannot be read
  std::string fault = {};  // why
};
/// The configuration no longer has it. No effect if it is unknown.
struct DropSchedule {};
/// No effect if it is paused. Refused: `no_such_schedule`, `text_too_long`.
struct PauseSchedule {
  std::string note = {};
};
/// Due times go on with `next`. No effect if it is not paused. Refused: as above, and `bad_schedule`: its
/// rule cannot be read.
struct ResumeSchedule {
  std::string note = {};
  TimeUs next = 0;
};
/// Settles all due times up to `due`. No effect if that is settled, and while it is paused. Refused:
/// `no_such_schedule`.
struct SettleDue {
  TimeUs due = 0;
  TimeUs next = 0;           // after `due`
  std::uint64_t missed = 0;  // due times before `due`
  Overlap overlap = Overlap::skip;
  bool too_late = false;     // for a run: it is only noted
  std::string job = {};      // the id that its job would get
  std::string refused = {};  // why there can be no job; empty: there can
};
/// Takes up the due time that waited. No effect if none does, or the last job has not ended.
struct TakeUpDue {
  std::string job = {};
  std::string refused = {};
};
/// A person lets it run, also while it is paused. Refused: `no_such_schedule`; `schedule_busy`: the last job
/// has not ended, and due times would not wait.
struct RunSchedule {
  Overlap overlap = Overlap::skip;
  std::string job = {};
};
using ScheduleCommand =
    std::variant<SetSchedule, DropSchedule, PauseSchedule, ResumeSchedule, SettleDue, TakeUpDue, RunSchedule>;

/// The events, and what is to happen to jobs with them.
struct ScheduleDecision {
  std::vector<NewEvent> events = {};
  bool dispatches = false;    // the command's job
  bool cancels_last = false;  // the last job
};

/// `last_lives`: state.last_job has not ended.
Result<ScheduleDecision> decide(const Schedule& state, const std::string& name,
                                const ScheduleCommand& command, bool last_lives);
void evolve(Schedule& state, const schema::Event& event);

/// "schedule/NAME", and the name in such a stream (empty: another stream).
std::string schedule_stream(std::string_view schedule);
std::string_view schedule_of_stream(std::string_view stream);

}  // namespace luzia
