// Random events about schedules: set, due, paused, resumed, dropped.
#pragma once

#include <functional>
#include <string>

#include "engine/schedule/schedule.h"

namespace luzia::test {

inline NewEvent random_schedule_fact(const std::function<std::uint64_t(std::uint64_t)>& below, TimeUs now) {
  const std::string name = "s-" + std::to_string(below(4));
  const TimeUs next = now + static_cast<TimeUs>(1 + below(kHourUs));
  schema::ScheduleFactUnion schedule;
  switch (below(5)) {
    case 0: {
      schema::ScheduleSetT set;
      set.schedule = name;
      set.project = below(2) == 0 ? "alpha" : "beta";
      set.rule = "@hourly";
      set.next_us = next;
      schedule.Set(std::move(set));
      break;
    }
    case 1: {
      schema::SchedulePausedT paused;
      paused.note = "later";
      schedule.Set(std::move(paused));
      break;
    }
    case 2: {
      schema::ScheduleResumedT resumed;
      resumed.next_us = next;
      schedule.Set(std::move(resumed));
      break;
    }
    case 3: {
      schedule.Set(schema::ScheduleDroppedT{});
      break;
    }
    default: {
      schema::ScheduleDueT due;
      due.due_us = now;
      due.outcome = static_cast<schema::DueOutcome>(below(5));
      if (due.outcome == schema::DueOutcome::dispatched) due.job = "job-" + std::to_string(below(9));
      due.missed = below(3);
      due.next_us = next;
      schedule.Set(std::move(due));
    }
  }
  return new_event(schedule_stream(name), std::move(schedule));
}

}  // namespace luzia::test
