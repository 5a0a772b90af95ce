// What luzia doctor and luzia status say about schedules. Pure.
#pragma once

#include <string>
#include <vector>

#include "view.fb.h"

namespace luzia {

struct ScheduleFinding {
  bool bad = false;  // else only a warning
  std::string what, fix;
};
/// Schedules that somebody paused, or whose last due time led to no job.
std::vector<ScheduleFinding> schedule_findings(const std::vector<const view::Schedule*>& schedules);

}  // namespace luzia
