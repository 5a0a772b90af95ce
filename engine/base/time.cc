#include "engine/base/time.h"

#include <time.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>

#include "engine/base/characters.h"
#include "engine/base/local_time.h"

namespace luzia {
namespace {

using std::chrono::sys_days;

// RFC 3339 has four-digit years. Times outside are shown as the nearest moment inside.
constexpr TimeUs kFirstShownUs = -62'167'219'200 * kSecondUs;     // 0000-01-01T00:00:00Z
constexpr TimeUs kLastShownUs = 253'402'300'800 * kSecondUs - 1;  // 9999-12-31T23:59:59.999999Z
constexpr std::uint64_t kMaxUs = std::numeric_limits<TimeUs>::max();

TimeUs start_of_day(TimeUs time) {
  const TimeUs within = time % kDayUs;
  return time - (within < 0 ? within + kDayUs : within);
}

/// A time zone. Wall times are microseconds since 1970 as a clock on the wall shows them.
struct Zone {
  TimeUs (*offset)(TimeUs time);  // by how much the wall clock is ahead of UTC

  TimeUs wall(TimeUs time) const { return time + offset(time); }
  TimeUs time_of(TimeUs wall) const {
    const TimeUs before = wall - offset(wall - kDayUs), after = wall - offset(wall + kDayUs);
    const bool is_before = this->wall(before) == wall, is_after = this->wall(after) == wall;
    // Neither: the clocks skip this time. The offset before the change then leads just as far beyond it.
    return is_before && is_after ? std::min(before, after) : is_after ? after : before;
  }
  /// Midnight at the start of the day of `time`, or `days` later.
  TimeUs midnight(TimeUs time, int days = 0) const {
    return time_of(start_of_day(wall(time)) + days * kDayUs);
  }
  TimeUs on_day(TimeUs time, TimeUs clock, int days = 0) const {
    return time_of(start_of_day(wall(time)) + days * kDayUs + clock);
  }
};

TimeUs offset_here(TimeUs time) {
  const TimeUs shown = std::clamp(time, kFirstShownUs, kLastShownUs);
  const TimeUs part = shown % kSecondUs;
  const auto seconds = static_cast<time_t>((shown - part) / kSecondUs - (part < 0 ? 1 : 0));
  tm local{};
  return ::localtime_r(&seconds, &local) == nullptr ? 0 : local.tm_gmtoff * kSecondUs;
}

constexpr Zone kUtc{[](TimeUs) -> TimeUs { return 0; }};
constexpr Zone kHere{offset_here};

/// Reads a text from its front; each method returns whether it matched.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}
  bool done() const { return rest_.empty(); }
  char peek() const { return rest_.empty() ? '\0' : rest_.front(); }

  bool take(char c) {
    if (peek() != c || done()) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take_any(std::string_view set) {
    return !done() && set.find(peek()) != std::string_view::npos && take(peek());
  }

  /// Exactly `width` digits, value at most `max`.
  bool number(std::size_t width, int max, int& value) {
    if (rest_.size() < width) return false;
    value = 0;
    for (std::size_t i = 0; i < width; ++i) {
      if (rest_[i] < '0' || rest_[i] > '9') return false;
      value = value * 10 + (rest_[i] - '0');
    }
    rest_.remove_prefix(width);
    return value <= max;
  }

  /// One or more digits after the point, in microseconds; finer digits are cut off.
  bool fraction(TimeUs& us) {
    us = 0;
    TimeUs scale = kSecondUs / 10;
    std::size_t digits = 0;
    for (; digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits, scale /= 10) {
      us += scale * (rest_[digits] - '0');
    }
    rest_.remove_prefix(digits);
    return digits > 0;
  }

 private:
  std::string_view rest_;
};

/// HH:MM[:SS[.frac]] as microseconds of the day.
bool read_clock(Reader& in, TimeUs& us) {
  int hour = 0, minute = 0, second = 0;
  TimeUs fraction = 0;
  if (!in.number(2, 23, hour) || !in.take(':') || !in.number(2, 59, minute)) return false;
  if (in.take(':')) {
    if (!in.number(2, 59, second)) return false;
    if (in.take_any(".,") && !in.fraction(fraction)) return false;
  }
  us = hour * kHourUs + minute * kMinuteUs + second * kSecondUs + fraction;
  return true;
}

/// Z or +HH:MM as microseconds to subtract.
bool read_offset(Reader& in, TimeUs& us) {
  us = 0;
  if (in.take_any("Zz")) return true;
  const bool east = in.peek() == '+';
  int hours = 0, minutes = 0;
  if (!in.take_any("+-") || !in.number(2, 23, hours) || !in.take(':') || !in.number(2, 59, minutes))
    return false;
  us = (hours * kHourUs + minutes * kMinuteUs) * (east ? 1 : -1);
  return true;
}

/// A date without an offset is in `zone`.
std::optional<TimeUs> parse_date(std::string_view text, const Zone& zone) {
  Reader in(text);
  int year = 0, month = 0, day = 0;
  if (!in.number(4, 9999, year) || !in.take('-') || !in.number(2, 12, month) || !in.take('-') ||
      !in.number(2, 31, day)) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  const TimeUs midnight = TimeUs{sys_days(date).time_since_epoch().count()} * kDayUs;
  if (in.done()) return zone.time_of(midnight);
  TimeUs clock = 0, offset = 0;
  if (!in.take_any("Tt ") || !read_clock(in, clock)) return std::nullopt;
  if (in.done()) return zone.time_of(midnight + clock);
  if (!read_offset(in, offset) || !in.done()) return std::nullopt;
  return midnight + clock - offset;
}

/// "2 hours", "an hour" as parse_duration_ms() reads it: "2h"; anything else as it is.
std::string without_words(std::string_view text) {
  const std::size_t blank = text.find(' ');
  if (blank == std::string_view::npos) return std::string(text);
  std::string_view count = text.substr(0, blank), unit = trimmed(text.substr(blank));
  if (count == "a" || count == "an") count = "1";
  if (unit.ends_with('s')) unit.remove_suffix(1);
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"second", "s"}, {"sec", "s"}, {"minute", "m"}, {"min", "m"}, {"hour", "h"}, {"day", "d"}};
  for (const auto& [word, letter] : kWords) {
    if (unit == word) return std::string(count).append(letter);
  }
  return std::string(text);
}

std::optional<TimeUs> parse_ago(std::string_view text, TimeUs now) {
  std::string in_letters;
  if (text.ends_with("ago")) text = in_letters = without_words(trimmed(text.substr(0, text.size() - 3)));
  // A bare number could be seconds, but also a position or a year.
  if (text.empty() || text.find_first_not_of("0123456789") == std::string_view::npos) return std::nullopt;
  const auto ms = parse_duration_ms(text);
  if (!ms || *ms > kMaxUs / kMillisecondUs) return std::nullopt;
  const TimeUs ago = static_cast<TimeUs>(*ms) * kMillisecondUs;
  if (now < std::numeric_limits<TimeUs>::min() + ago) return std::nullopt;
  return now - ago;
}

struct Unit {
  std::string_view name;
  std::uint64_t ms;
};
constexpr Unit kUnits[] = {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}};

const Unit* find_unit(std::string_view name) {
  const auto* unit = std::ranges::find(kUnits, name, &Unit::name);
  return unit == std::end(kUnits) ? nullptr : unit;
}

/// "22:00": the last one until `now`. "yesterday 22:00", "22:00 yesterday", and the same with today.
std::optional<TimeUs> parse_past_clock(std::string_view text, TimeUs now, const Zone& zone) {
  std::optional<int> day;
  for (const auto& [word, its] : {std::pair<std::string_view, int>("yesterday", -1), {"today", 0}}) {
    const bool before = text.starts_with(word);
    if (!before && !text.ends_with(word)) continue;
    text = trimmed(before ? text.substr(word.size()) : text.substr(0, text.size() - word.size()));
    day = its;
    break;
  }
  Reader in(text);
  TimeUs clock = 0;
  if (!read_clock(in, clock) || !in.done()) return std::nullopt;
  const TimeUs named = zone.on_day(now, clock, day.value_or(0));
  return day || named <= now ? named : zone.on_day(now, clock, -1);
}

std::optional<TimeUs> parse_past(std::string_view text, TimeUs now, const Zone& zone) {
  text = trimmed(text);
  if (text == "now") return now;
  if (text == "today") return zone.midnight(now);
  if (text == "yesterday") return zone.midnight(now, -1);
  if (const auto date = parse_date(text, zone)) return date;
  if (const auto clock = parse_past_clock(text, now, zone)) return clock;
  return parse_ago(text, now);
}

std::optional<TimeUs> parse_future(std::string_view text, TimeUs now, const Zone& zone) {
  text = trimmed(text);
  if (text == "now") return now;
  if (text == "tomorrow") return zone.midnight(now, 1);
  if (const auto date = parse_date(text, zone)) return date;
  Reader in(text);
  TimeUs clock = 0;
  if (read_clock(in, clock) && in.done()) {
    const TimeUs today = zone.on_day(now, clock);
    return today > now ? today : zone.on_day(now, clock, 1);
  }
  std::string in_letters;
  if (text.starts_with("in ")) text = in_letters = without_words(trimmed(text.substr(3)));
  const auto ms = parse_duration_ms(text);
  constexpr std::uint64_t kMostMs = 100ULL * 366 * 24 * 3600 * 1000;  // a century
  if (!ms || *ms > kMostMs || text.find_first_not_of("0123456789") == std::string_view::npos)
    return std::nullopt;
  return now + static_cast<TimeUs>(*ms) * kMillisecondUs;
}

/// "Z", "+01:00"
std::string zone_text(TimeUs offset) {
  if (offset == 0) return "Z";
  const auto minutes = static_cast<int>(std::abs(offset) / kMinuteUs);
  char text[16];
  std::snprintf(text, sizeof text, "%c%02d:%02d", offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
  return text;
}

}  // namespace

std::string format_local(TimeUs time) {
  const TimeUs offset = kHere.offset(time);
  std::string text = format_rfc3339(time + offset);
  text.pop_back();
  return text + zone_text(offset);
}

std::string local_time(TimeUs time, TimePart to) {
  const TimeUs offset = kHere.offset(time);
  std::string text = format_rfc3339(time + offset).substr(0, static_cast<std::size_t>(to));
  text[10] = ' ';
  return text + zone_text(offset);
}

std::string local_clock(TimeUs time, TimePart to) {
  constexpr std::size_t kDateAndBlank = 11;
  return local_time(time, to).substr(kDateAndBlank);
}

std::optional<TimeUs> parse_local_time(std::string_view text, TimeUs now) {
  return parse_past(text, now, kHere);
}

std::optional<TimeUs> parse_local_time_to_come(std::string_view text, TimeUs now) {
  return parse_future(text, now, kHere);
}

std::string format_rfc3339(TimeUs time) {
  time = std::clamp(time, kFirstShownUs, kLastShownUs);
  const TimeUs midnight = start_of_day(time);
  const TimeUs within = time - midnight;
  const std::chrono::year_month_day date{sys_days(std::chrono::days(midnight / kDayUs))};
  std::string text = "0000-00-00T00:00:00.000000Z";
  const auto put = [&text](std::size_t end, std::int64_t value) {
    for (; value != 0; value /= 10) text[--end] = static_cast<char>('0' + value % 10);
  };
  put(4, static_cast<int>(date.year()));
  put(7, static_cast<unsigned>(date.month()));
  put(10, static_cast<unsigned>(date.day()));
  put(13, within / kHourUs);
  put(16, within / kMinuteUs % 60);
  put(19, within / kSecondUs % 60);
  put(26, within % kSecondUs);
  return text;
}

std::optional<TimeUs> parse_time(std::string_view text, TimeUs now) {
  return parse_past(text, now, kUtc);
}

std::optional<std::uint64_t> parse_duration_ms(std::string_view text) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t total = 0;
  std::uint64_t previous_unit = kMax;
  const bool bare = !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  do {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const auto name = text.substr(0, text.find_first_of("0123456789"));
    const Unit* unit = find_unit(bare ? "s" : name);
    // Units must get smaller from left to right, so that a mistyped "1h1h" is refused.
    if (!unit || unit->ms >= previous_unit) return std::nullopt;
    if (number > (kMax - total) / unit->ms) return std::nullopt;
    total += number * unit->ms;
    previous_unit = unit->ms;
    text.remove_prefix(name.size());
  } while (!text.empty());
  return total;
}

std::string format_duration(TimeUs duration_us) {
  if (duration_us < 0) {
    return "-" + format_duration(duration_us == std::numeric_limits<TimeUs>::min()
                                     ? std::numeric_limits<TimeUs>::max()
                                     : -duration_us);
  }
  const long long seconds = duration_us / kSecondUs;
  char text[48];
  if (seconds < 10) {
    std::snprintf(text, sizeof text, "%lld.%llds", seconds,
                  static_cast<long long>(duration_us % kSecondUs / (kSecondUs / 10)));
  } else if (seconds < 60) {
    std::snprintf(text, sizeof text, "%llds", seconds);
  } else if (seconds < 3600) {
    std::snprintf(text, sizeof text, "%lldm%02llds", seconds / 60, seconds % 60);
  } else if (seconds < 86400) {
    std::snprintf(text, sizeof text, "%lldh%02lldm", seconds / 3600, seconds / 60 % 60);
  } else {
    std::snprintf(text, sizeof text, "%lldd%lldh", seconds / 86400, seconds / 3600 % 24);
  }
  return text;
}

std::string format_milliseconds(double ms) {
  const long long whole = std::llround(ms);
  if (whole < kSecondUs / kMillisecondUs) return std::to_string(whole) + " ms";
  return format_duration(std::max(static_cast<TimeUs>(ms * kMillisecondUs), kSecondUs));
}

}  // namespace luzia
