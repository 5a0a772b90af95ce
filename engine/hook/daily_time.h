// A time of the day at which something happens, on all days or on some of the week. Pure; any thread.
#pragma once

#include <optional>
#include <string_view>

namespace luzia {

struct DailyTime {
  int minute = 0;                   // of the local day, 0 to 1439
  int first_day = 1, last_day = 7;  // of the week: 1 is Monday; both included

  /// `week_day`: 0 is Sunday, as in std::tm.
  bool is_on(int week_day) const {
    const int day = week_day == 0 ? 7 : week_day;
    return day >= first_day && day <= last_day;
  }
  bool operator==(const DailyTime&) const = default;
};

/// "07:00", "07:00 1-5" or "07:00 1". nullopt: invalid.
std::optional<DailyTime> parse_daily_time(std::string_view text);

}  // namespace luzia
