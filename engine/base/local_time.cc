#include "engine/base/local_time.h"

#include <ctime>

namespace luzia {
namespace {

/// nullopt: the year is out of the calendar's range.
std::optional<std::tm> broken_down(TimeUs moment) {
  // Rounds down, not towards zero: half a second before 1970 is in second -1.
  const std::time_t seconds = moment / kSecondUs - (moment % kSecondUs < 0 ? 1 : 0);
  std::tm local{};
  return ::localtime_r(&seconds, &local) == nullptr ? std::nullopt : std::optional(local);
}

}  // namespace

std::string clock_with_zone(TimeUs moment, TimeUs now) {
  const auto at = broken_down(moment);
  const auto today = broken_down(now);
  if (!at) return format_rfc3339(moment);
  const bool same_day = today && today->tm_year == at->tm_year && today->tm_yday == at->tm_yday;
  char words[128];
  const std::size_t length =
      std::strftime(words, sizeof words, same_day ? "%H:%M %Z" : "%Y-%m-%d %H:%M %Z", &*at);
  return length == 0 ? format_rfc3339(moment) : std::string(words, length);
}

std::string local_moment(TimeUs moment, TimeUs now) {
  std::string words = clock_with_zone(moment, now);
  return moment <= now ? words : words + ", in " + format_duration(moment - now);
}

}  // namespace luzia
