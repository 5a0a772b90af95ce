#include "adapters/notify/quiet_time.h"

#include <algorithm>
#include <ctime>
#include <optional>

namespace luzia {
namespace {

std::optional<std::tm> local_parts(std::time_t seconds) {
  std::tm local{};
  return ::localtime_r(&seconds, &local) == nullptr ? std::nullopt : std::optional(local);
}

/// The moment of the day that is `days` after that of `now`; nullopt: it is not one of its days.
std::optional<TimeUs> moment_of_day(const DailyTime& daily, TimeUs now, int days) {
  auto local = local_parts(static_cast<std::time_t>(now / kSecondUs));
  if (!local) return std::nullopt;
  local->tm_mday += days;
  local->tm_hour = daily.minute / 60;
  local->tm_min = daily.minute % 60;
  local->tm_sec = 0;
  local->tm_isdst = -1;  // determined for that day
  const std::time_t at = std::mktime(&*local);
  if (at == -1 || !daily.is_on(local->tm_wday)) return std::nullopt;
  constexpr std::time_t kHour = 3600;
  const auto earlier = local_parts(at - kHour);
  const bool is_second = earlier && earlier->tm_hour == local->tm_hour && earlier->tm_min == local->tm_min;
  return static_cast<TimeUs>(is_second ? at - kHour : at) * kSecondUs;
}

constexpr int kDaysOfWeek = 7;

}  // namespace

TimeUs quiet_until(const QuietHours& hours, TimeUs now) {
  auto local = local_parts(static_cast<std::time_t>(now / kSecondUs));
  if (!local) return 0;
  const int minute = local->tm_hour * 60 + local->tm_min;
  if (!hours.contains(minute)) return 0;
  if (minute >= hours.end) ++local->tm_mday;  // tomorrow's end
  local->tm_hour = hours.end / 60;
  local->tm_min = hours.end % 60;
  local->tm_sec = 0;
  local->tm_isdst = -1;  // determined for that time: the night may be an hour longer or shorter
  const std::time_t end = std::mktime(&*local);
  if (end == -1) return 0;
  // At a daylight-saving change, a skipped or repeated time must not be one that is already over.
  return std::max(static_cast<TimeUs>(end) * kSecondUs, now + kSecondUs);
}

TimeUs last_moment(const DailyTime& daily, TimeUs now) {
  for (int days = 0; days >= -kDaysOfWeek; --days) {
    const auto at = moment_of_day(daily, now, days);
    if (at && *at <= now) return *at;
  }
  return 0;
}

TimeUs next_moment(const DailyTime& daily, TimeUs now) {
  for (int days = 0; days <= kDaysOfWeek; ++days) {
    const auto at = moment_of_day(daily, now, days);
    if (at && *at > now) return *at;
  }
  return 0;
}

}  // namespace luzia
