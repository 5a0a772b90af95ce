#include "engine/hook/daily_time.h"

#include "engine/hook/quiet_hours.h"

namespace luzia {
namespace {

std::optional<int> parse_week_day(char digit) {
  return digit >= '1' && digit <= '7' ? std::optional(digit - '0') : std::nullopt;
}

}  // namespace

std::optional<DailyTime> parse_daily_time(std::string_view text) {
  const std::size_t blank = text.find(' ');
  const auto minute = parse_minute(text.substr(0, blank));
  if (!minute) return std::nullopt;
  if (blank == std::string_view::npos) return DailyTime{*minute};
  const std::string_view days = text.substr(blank + 1);
  const bool is_range = days.size() == 3 && days[1] == '-';
  if (!is_range && days.size() != 1) return std::nullopt;
  const auto first = parse_week_day(days.front()), last = parse_week_day(days.back());
  if (!first || !last || *first > *last) return std::nullopt;
  return DailyTime{*minute, *first, *last};
}

}  // namespace luzia
