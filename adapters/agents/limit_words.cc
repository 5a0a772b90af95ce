#include "adapters/agents/limit_words.h"

#include <cctype>
#include <ctime>
#include <string>

namespace luzia {
namespace {

enum class Zone { process, utc, other };

/// `text` begins right behind the time. A sentence goes on in small letters; what begins with a capital or is
/// a number names a zone: "PST", "Pacific time", "America/New_York", "+02:00".
Zone zone_behind(std::string_view text) {
  if (text.empty() || text.front() == '\n') return Zone::process;
  if (text.front() != ' ' && text.front() != '(') {
    return std::ispunct(static_cast<unsigned char>(text.front())) != 0 ? Zone::process : Zone::other;
  }
  const std::size_t first = text.find_first_not_of(" (");
  if (first == std::string_view::npos) return Zone::process;
  text.remove_prefix(first);
  const auto is_digit = [&](std::size_t at) {
    return at < text.size() && text[at] >= '0' && text[at] <= '9';
  };
  const bool is_signed = text.front() == '+' || text.front() == '-';
  if (is_digit(is_signed ? 1 : 0)) return Zone::other;
  if (std::isupper(static_cast<unsigned char>(text.front())) == 0) return Zone::process;
  if (!text.starts_with("UTC") && !text.starts_with("GMT")) return Zone::other;
  text.remove_prefix(3);
  const bool is_whole =
      text.empty() || std::string_view(" \n.,;:!)").find(text.front()) != std::string_view::npos;
  return is_whole ? Zone::utc : Zone::other;  // "UTC+2"
}

/// Into `moment`, which holds the day where `words` name none. Returns what stands behind; nullptr: no time.
const char* read_moment(const char* words, std::tm& moment) {
  if (const char* behind_day = strptime(words, "%b %d", &moment)) {
    while (std::isalpha(static_cast<unsigned char>(*behind_day)) != 0) ++behind_day;  // 1st, 2nd, 3rd, 4th
    words = strptime(behind_day, ", %Y ", &moment);
  }
  return words != nullptr ? strptime(words, "%I:%M %p", &moment) : nullptr;
}

}  // namespace

TimeUs reset_in_words(std::string_view text, TimeUs written, TimeUs now) {
  constexpr std::string_view kAgainAt = "ry again at ";  // with a T where a sentence begins
  constexpr std::size_t kLongest = 48;
  const std::size_t at = text.find(kAgainAt);
  if (at == std::string_view::npos) return 0;
  const std::string words(text.substr(at + kAgainAt.size(), kLongest));
  const std::time_t written_at = written / kSecondUs;
  std::tm moment{};
  if (localtime_r(&written_at, &moment) == nullptr) return 0;
  const char* behind = read_moment(words.c_str(), moment);
  if (behind == nullptr) return 0;
  const Zone zone = zone_behind(behind);
  if (zone == Zone::other) return 0;
  if (zone == Zone::utc) {
    if (gmtime_r(&written_at, &moment) == nullptr) return 0;  // its day may be another
    read_moment(words.c_str(), moment);
  }
  // Seconds are not told: the next minute is not too early.
  moment.tm_sec = 0;
  ++moment.tm_min;
  moment.tm_isdst = -1;
  const TimeUs reset = (zone == Zone::utc ? timegm(&moment) : std::mktime(&moment)) * kSecondUs;
  return reset > now ? reset : 0;
}

}  // namespace luzia
