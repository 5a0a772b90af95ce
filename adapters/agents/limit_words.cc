#include "adapters/agents/limit_words.h"

#include <cctype>
#include <ctime>
#include <string>

namespace luzia {

TimeUs reset_in_words(std::string_view text, TimeUs now) {
  constexpr std::string_view kAgainAt = "ry again at ";  // with a T where a sentence begins
  constexpr std::size_t kLongest = 32;
  const std::size_t at = text.find(kAgainAt);
  if (at == std::string_view::npos) return 0;
  const std::string words(text.substr(at + kAgainAt.size(), kLongest));
  const std::time_t read_at = now / kSecondUs;
  std::tm moment{};
  if (localtime_r(&read_at, &moment) == nullptr) return 0;
  const char* clock = words.c_str();
  if (const char* behind_day = strptime(clock, "%b %d", &moment)) {
    while (std::isalpha(static_cast<unsigned char>(*behind_day)) != 0) ++behind_day;  // 1st, 2nd, 3rd, 4th
    clock = strptime(behind_day, ", %Y ", &moment);
  }
  if (clock == nullptr || strptime(clock, "%I:%M %p", &moment) == nullptr) return 0;
  // Seconds are not told: the next minute is not too early.
  moment.tm_sec = 0;
  ++moment.tm_min;
  moment.tm_isdst = -1;
  const std::time_t reset = std::mktime(&moment);
  return reset > 0 ? reset * kSecondUs : 0;
}

}  // namespace luzia
