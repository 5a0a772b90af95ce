#include "adapters/agents/limit_words.h"

#include <array>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string>
#include <utility>

#include "engine/base/characters.h"
#include "engine/job/job_ending.h"

namespace luzia {
namespace {

enum class Zone { process, utc, other };

/// `text` begins right after the time. A sentence continues in lower case. A capital or a number names a
/// zone: "PST", "Pacific time", "America/New_York", "+02:00".
Zone zone_behind(std::string_view text) {
  if (text.empty() || text.front() == '\n') return Zone::process;
  if (text.front() != ' ' && text.front() != '(') {
    return std::ispunct(static_cast<unsigned char>(text.front())) != 0 ? Zone::process : Zone::other;
  }
  const std::size_t first = text.find_first_not_of(" (");
  if (first == std::string_view::npos) return Zone::process;
  text.remove_prefix(first);
  const std::size_t sign = text.front() == '+' || text.front() == '-' ? 1 : 0;
  if (sign < text.size() && is_digit(text[sign])) return Zone::other;
  if (std::isupper(static_cast<unsigned char>(text.front())) == 0) return Zone::process;
  if (!text.starts_with("UTC") && !text.starts_with("GMT")) return Zone::other;
  text.remove_prefix(3);
  const bool is_whole =
      text.empty() || std::string_view(" \n.,;:!)").find(text.front()) != std::string_view::npos;
  return is_whole ? Zone::utc : Zone::other;  // "UTC+2"
}

/// Whether a fully named zone is this machine's, in the form that agents use: "(Europe/Berlin)".
bool is_own_zone(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos || text[first] != '(') return false;
  const std::string_view name = text.substr(first + 1, text.find(')') - first - 1);
  if (const char* own = std::getenv("TZ"); own != nullptr && *own != '\0') {
    return name == (*own == ':' ? own + 1 : own);
  }
  std::error_code none;
  const std::string link = std::filesystem::read_symlink("/etc/localtime", none).string();
  return name.find('/') != std::string_view::npos && link.ends_with("/zoneinfo/" + std::string(name));
}

/// Parses "11:40 AM", "11:33am", "3pm". Returns the text after it; nullptr: not a time.
const char* read_time_of_day(const char* words, std::tm& moment) {
  moment.tm_min = 0;
  if (const char* behind = strptime(words, "%I:%M %p", &moment)) return behind;
  return strptime(words, "%I %p", &moment);
}

/// What the words specify besides the time of day.
enum class Told { time, day, year };

/// Parses into `moment`, which the caller fills with the year, and with the day to use if `words` name none.
/// Returns the text after it; nullptr: not a time.
const char* read_moment(const char* words, std::tm& moment, Told& told) {
  told = Told::time;
  const char* behind_day = strptime(words, "%b %d", &moment);
  if (behind_day == nullptr) return read_time_of_day(words, moment);
  while (std::isalpha(static_cast<unsigned char>(*behind_day)) != 0) ++behind_day;  // 1st, 2nd, 3rd, 4th
  std::tm with_year = moment;
  if (const char* behind_year = strptime(behind_day, ", %Y ", &with_year)) {
    if (const char* behind = read_time_of_day(behind_year, with_year)) {
      moment = with_year;
      told = Told::year;
      return behind;
    }
  }
  told = Told::day;
  if (*behind_day != ',') return nullptr;
  return read_time_of_day(behind_day + 1 + std::strspn(behind_day + 1, " "), moment);
}

/// The text after `before`; empty if `before` is not in the text.
std::string behind(std::string_view text, std::string_view before) {
  constexpr std::size_t kLongest = 64;
  const std::size_t at = text.find(before);
  return at == std::string_view::npos ? std::string()
                                      : std::string(text.substr(at + before.size(), kLongest));
}

/// "8h44m7s", "5s"; 0: not a time span.
TimeUs time_span(std::string_view words) {
  constexpr std::array<std::pair<char, TimeUs>, 4> kUnits = {
      {{'d', 86'400 * kSecondUs}, {'h', 3'600 * kSecondUs}, {'m', 60 * kSecondUs}, {'s', kSecondUs}}};
  TimeUs span = 0;
  for (const auto& [unit, us] : kUnits) {
    const std::size_t digits = std::min(words.find_first_not_of("0123456789"), words.size());
    if (digits == 0 || digits > 6 || digits == words.size() || words[digits] != unit) continue;
    span += std::stoll(std::string(words.substr(0, digits))) * us;
    words.remove_prefix(digits + 1);
  }
  return span;
}

/// `may_be_tomorrow`: whether a time of day that was over when written means the next day's.
TimeUs reset_at(const std::string& words, bool may_be_tomorrow, TimeUs written, TimeUs now) {
  const std::time_t written_at = written / kSecondUs;
  std::tm moment{};
  if (words.empty() || localtime_r(&written_at, &moment) == nullptr) return 0;
  Told told{};
  const char* rest = read_moment(words.c_str(), moment, told);
  if (rest == nullptr) return 0;
  const Zone named = zone_behind(rest);
  const Zone zone = named == Zone::other && is_own_zone(rest) ? Zone::process : named;
  if (zone == Zone::other) return 0;
  if (zone == Zone::utc) {
    if (gmtime_r(&written_at, &moment) == nullptr) return 0;  // its day may be another
    read_moment(words.c_str(), moment, told);
  }
  // The words give no seconds: the next minute is not too early.
  moment.tm_sec = 0;
  ++moment.tm_min;
  moment.tm_isdst = -1;
  const auto moment_us = [&] {
    return (zone == Zone::utc ? timegm(&moment) : std::mktime(&moment)) * kSecondUs;
  };
  const std::tm as_read = moment;
  TimeUs reset = moment_us();
  const bool is_tomorrow = may_be_tomorrow && told == Told::time;
  if (reset <= written && (is_tomorrow || told == Told::day)) {
    moment = as_read;
    ++(is_tomorrow ? moment.tm_mday : moment.tm_year);
    reset = moment_us();
    if (reset - written > kLongestLimit) return 0;
  }
  return reset > now ? reset : 0;
}

}  // namespace

TimeUs reset_in_words(std::string_view text, TimeUs written, TimeUs now) {
  if (const TimeUs span = time_span(behind(text, "reset after "))) return written + span;
  if (const TimeUs reset = reset_at(behind(text, "ry again at "), false, written, now)) return reset;
  return reset_at(behind(text, "resets "), true, written, now);
}

}  // namespace luzia
