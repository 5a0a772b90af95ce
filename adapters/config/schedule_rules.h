// [[schedules]]: the times that a schedule of the configuration means, and what is wrong with one.
#pragma once

#include <string>
#include <vector>

#include "adapters/config/config.h"
#include "engine/schedule/cron.h"

namespace luzia {

/// The zone of that name in the time zone database ($TZDIR, /usr/share/zoneinfo); empty: that of this process
/// (TZ, /etc/localtime). Reads a file. `unknown_time_zone` (usage).
Result<TimeZone> find_time_zone(const std::string& name);

/// When it is due; `anchor`: since when `every` counts. Errors: `bad_cron`, `unknown_time_zone` (usage).
Result<Recurrence> recurrence_of(const ScheduleConfig& schedule, TimeUs anchor);
/// The rule as people read it: "every 2h", "0 7 * * 1-5".
std::string rule_text(const ScheduleConfig& schedule);

/// What is wrong with the schedules, each with the key that it concerns ("schedules.nightly.cron").
struct ScheduleFault {
  std::string key, what, hint;
  bool of_machine = false;  // it lacks the time zone: the schedule alone cannot run, until a reload finds it
};
std::vector<ScheduleFault> schedule_faults(const Config& config);

}  // namespace luzia
