// The part of the day in which people are left alone. Pure; any thread.
#pragma once

#include <optional>
#include <string_view>

namespace luzia {

/// Minutes of the local day, 0 to 1439: from `begin` on, before `end`. Over midnight where `end` comes first.
struct QuietHours {
  int begin = 0, end = 0;

  bool contains(int minute) const {
    return begin < end ? minute >= begin && minute < end : minute >= begin || minute < end;
  }
  bool operator==(const QuietHours&) const = default;
};

/// "22:00-07:00"; nothing for what is none, or has no end (both times the same).
std::optional<QuietHours> parse_quiet_hours(std::string_view text);

}  // namespace luzia
