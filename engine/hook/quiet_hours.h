// Quiet hours: the part of the day in which nobody is notified. Pure; any thread.
#pragma once

#include <optional>
#include <string_view>

namespace luzia {

/// Minutes of the local day, 0 to 1439: from `begin` up to but not including `end`. Spans midnight if `end`
/// is smaller.
struct QuietHours {
  int begin = 0, end = 0;

  bool contains(int minute) const {
    return begin < end ? minute >= begin && minute < end : minute >= begin || minute < end;
  }
  bool operator==(const QuietHours&) const = default;
};

/// Minutes of the day for "07:00" or "7:00". nullopt: invalid.
std::optional<int> parse_minute(std::string_view text);
/// "22:00-07:00". nullopt: invalid, or both times are the same.
std::optional<QuietHours> parse_quiet_hours(std::string_view text);

}  // namespace luzia
