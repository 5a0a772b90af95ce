#include "adapters/notify/quiet_time.h"

#include <algorithm>
#include <ctime>

namespace luzia {

TimeUs quiet_until(const QuietHours& hours, TimeUs now) {
  const auto seconds = static_cast<std::time_t>(now / kSecondUs);
  std::tm local{};
  if (::localtime_r(&seconds, &local) == nullptr) return 0;
  const int minute = local.tm_hour * 60 + local.tm_min;
  if (!hours.contains(minute)) return 0;
  if (minute >= hours.end) ++local.tm_mday;  // tomorrow's end
  local.tm_hour = hours.end / 60;
  local.tm_min = hours.end % 60;
  local.tm_sec = 0;
  local.tm_isdst = -1;  // determined for that time: the night may be an hour longer or shorter
  const std::time_t end = std::mktime(&local);
  if (end == -1) return 0;
  // At a daylight-saving change, a skipped or repeated time must not be one that is already over.
  return std::max(static_cast<TimeUs>(end) * kSecondUs, now + kSecondUs);
}

}  // namespace luzia
