// Times as table cells; an unset time (0) is empty. Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/local_time.h"

namespace luzia {

/// "2026-11-21 10:37:39+01:00" in the reader's zone, for people.
inline std::string second_time(TimeUs time) {
  return time == 0 ? std::string() : local_time(time);
}

/// RFC 3339, for programs.
inline std::string full_time(TimeUs time) {
  return time == 0 ? std::string() : format_rfc3339(time);
}

/// "2026-11-21" for a day counted from 1970, in UTC.
inline std::string day_text(std::uint32_t day) {
  return format_rfc3339(static_cast<TimeUs>(day) * kDayUs).substr(0, 10);
}

}  // namespace luzia
