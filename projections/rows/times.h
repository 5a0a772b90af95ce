// Moments as cells of tables; a moment that has not come is empty.
#pragma once

#include <string>

#include "engine/base/time.h"

namespace luzia {

/// "2026-11-21 09:37:39", UTC: for people.
inline std::string second_time(TimeUs time) {
  if (time == 0) return {};
  std::string text = format_rfc3339(time).substr(0, 19);
  text[10] = ' ';
  return text;
}

/// RFC 3339: for programs.
inline std::string full_time(TimeUs time) {
  return time == 0 ? std::string() : format_rfc3339(time);
}

}  // namespace luzia
