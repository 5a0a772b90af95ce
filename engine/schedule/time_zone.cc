#include "engine/schedule/time_zone.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace luzia {
namespace {

constexpr Second kSecondsOfDay = 86'400;
constexpr std::int32_t kWidestOffset = 26 * 3'600;  // RFC 8536
constexpr int kFirstRuleYear = 1970, kLastRuleYear = 2200;

Second day_second(std::chrono::sys_days day) {
  return day.time_since_epoch().count() * kSecondsOfDay;
}

/// A day of each year on which clocks change, and the local second of that day.
struct ChangeDay {
  enum class Kind { julian, counted, weekday } kind = Kind::weekday;
  int month = 1, week = 1, day = 0;
  std::int32_t second = 7'200;

  Second in(int year) const {
    using namespace std::chrono;
    const sys_days first = std::chrono::year(year) / January / 1;
    if (kind == Kind::counted) return day_second(first + days(day)) + second;
    if (kind == Kind::julian) {  // 29 February never counts
      const bool later = std::chrono::year(year).is_leap() && day > 59;
      return day_second(first + days(day - 1 + (later ? 1 : 0))) + second;
    }
    const auto its_month = std::chrono::year(year) / std::chrono::month(static_cast<unsigned>(month));
    const auto its_day = std::chrono::weekday(static_cast<unsigned>(day));
    const sys_days found = week == 5 ? sys_days(its_month / its_day[last])
                                     : sys_days(its_month / its_day[static_cast<unsigned>(week)]);
    return day_second(found) + second;
  }
};

/// Reads a POSIX TZ text from its beginning on. After an error `good` is false.
struct RuleReader {
  std::string_view rest;
  bool good = true;

  bool take(char wanted) {
    if (rest.empty() || rest.front() != wanted) return false;
    rest.remove_prefix(1);
    return true;
  }
  void name() {
    const bool quoted = take('<');
    std::size_t length = 0;
    const auto belongs = [quoted](char c) {
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      return letter || (quoted && ((c >= '0' && c <= '9') || c == '+' || c == '-'));
    };
    while (length < rest.size() && belongs(rest[length])) ++length;
    good = good && length >= 3;
    rest.remove_prefix(length);
    if (quoted) good = good && take('>');
  }
  int number(int least, int most) {
    int value = 0;
    std::size_t length = 0;
    while (length < rest.size() && length < 4 && rest[length] >= '0' && rest[length] <= '9') {
      value = value * 10 + (rest[length++] - '0');
    }
    good = good && length > 0 && value >= least && value <= most;
    rest.remove_prefix(length);
    return value;
  }
  /// [+-]hh[:mm[:ss]]
  std::int32_t hours(int most_hours) {
    const bool negative = take('-');
    if (!negative) take('+');
    std::int32_t seconds = number(0, most_hours) * 3'600;
    if (take(':')) seconds += number(0, 59) * 60;
    if (take(':')) seconds += number(0, 59);
    return negative ? -seconds : seconds;
  }
  ChangeDay change_day() {
    ChangeDay day;
    if (take('M')) {
      day.month = number(1, 12);
      good = good && take('.');
      day.week = number(1, 5);
      good = good && take('.');
      day.day = number(0, 6);
    } else if (take('J')) {
      day.kind = ChangeDay::Kind::julian;
      day.day = number(1, 365);
    } else {
      day.kind = ChangeDay::Kind::counted;
      day.day = number(0, 365);
    }
    if (take('/')) day.second = hours(167);
    return day;
  }
};

/// What a rule says: one offset, or two with the days on which they change.
struct ZoneRule {
  std::int32_t standard = 0, summer = 0;
  std::optional<std::pair<ChangeDay, ChangeDay>> days;  // to summer time, and back

  /// Adds the changes after `since`, which holds `offset`.
  void extend(TimeZone& zone, Second since, std::int32_t offset) const {
    const auto add = [&](Second at, std::int32_t after) {
      const bool same_moment = !zone.changes.empty() && at == zone.changes.back().at;
      if (same_moment && at > since) {  // as in a zone whose summer time never ends
        offset = zone.changes.back().before;
        zone.changes.pop_back();
      }
      const bool later = zone.changes.empty() || at > zone.changes.back().at;
      if (at <= since || !later || after == offset) return;
      zone.changes.push_back({at, offset, after});
      offset = after;
    };
    if (!days) return;
    for (int year = kFirstRuleYear; year <= kLastRuleYear; ++year) {
      std::pair to_summer{days->first.in(year)-standard, summer};
      std::pair back{days->second.in(year)-summer, standard};
      if (back.first < to_summer.first) std::swap(to_summer, back);
      add(to_summer.first, to_summer.second);
      add(back.first, back.second);
    }
  }
};

std::optional<ZoneRule> read_rule(std::string_view text) {
  RuleReader reader{text};
  ZoneRule rule;
  reader.name();
  rule.standard = rule.summer = -reader.hours(25);  // west of UTC is positive in POSIX
  if (reader.good && !reader.rest.empty()) {
    reader.name();
    const bool own = !reader.rest.empty() && reader.rest.front() != ',';
    rule.summer = own ? -reader.hours(25) : rule.standard + 3'600;
    if (reader.rest.empty()) reader.rest = ",M3.2.0,M11.1.0";
    reader.good = reader.good && reader.take(',');
    const ChangeDay to_summer = reader.change_day();
    reader.good = reader.good && reader.take(',');
    rule.days.emplace(to_summer, reader.change_day());
  }
  if (!reader.good || !reader.rest.empty()) return std::nullopt;
  return rule;
}

/// Reads big-endian numbers. After the end `good` is false.
struct ZoneBytes {
  std::string_view rest;
  bool good = true;

  std::string_view take(std::size_t count) {
    if (count > rest.size()) {
      good = false;
      return {};
    }
    const std::string_view taken = rest.substr(0, count);
    rest.remove_prefix(count);
    return taken;
  }
  std::int64_t number(std::size_t bytes) {
    const std::string_view taken = take(bytes);
    if (taken.empty()) return 0;
    std::uint64_t value = (static_cast<unsigned char>(taken.front()) & 0x80) != 0 ? ~std::uint64_t{0} : 0;
    for (const char byte : taken) value = (value << 8) | static_cast<unsigned char>(byte);
    return static_cast<std::int64_t>(value);
  }
};

struct ZoneHeader {
  char version = 0;
  std::size_t universal = 0, standard = 0, leaps = 0, changes = 0, types = 0, letters = 0;

  std::size_t body_bytes(std::size_t time_bytes) const {
    return changes * (time_bytes + 1) + types * 6 + letters + leaps * (time_bytes + 4) + standard + universal;
  }
};

std::optional<ZoneHeader> read_header(ZoneBytes& bytes) {
  if (bytes.take(4) != "TZif") return std::nullopt;
  ZoneHeader header;
  const std::string_view version = bytes.take(1);
  bytes.take(15);
  for (std::size_t* count : {&header.universal, &header.standard, &header.leaps, &header.changes,
                             &header.types, &header.letters}) {
    const std::int64_t number = bytes.number(4);
    if (number < 0 || number > 100'000) return std::nullopt;
    *count = static_cast<std::size_t>(number);
  }
  if (!bytes.good) return std::nullopt;
  header.version = version.front();
  return header;
}

/// The changes of a body whose times have `time_bytes`.
std::optional<TimeZone> read_body(ZoneBytes& bytes, const ZoneHeader& header, std::size_t time_bytes) {
  if (header.types == 0 || header.leaps != 0 || header.body_bytes(time_bytes) > bytes.rest.size()) {
    return std::nullopt;
  }
  std::vector<Second> times;
  for (std::size_t i = 0; i < header.changes; ++i) times.push_back(bytes.number(time_bytes));
  const std::string_view types = bytes.take(header.changes);
  std::vector<std::int32_t> offsets;
  for (std::size_t i = 0; i < header.types; ++i) {
    offsets.push_back(static_cast<std::int32_t>(bytes.number(4)));
    bytes.take(2);
    if (offsets.back() > kWidestOffset || offsets.back() < -kWidestOffset) return std::nullopt;
  }
  bytes.take(header.letters + header.standard + header.universal);
  if (!std::ranges::is_sorted(times)) return std::nullopt;
  TimeZone zone;
  std::int32_t offset = zone.offset = offsets.front();
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto type = static_cast<unsigned char>(types[i]);
    if (type >= offsets.size()) return std::nullopt;
    if (offsets[type] == offset) continue;
    zone.changes.push_back({times[i], offset, offsets[type]});
    offset = offsets[type];
  }
  return zone;
}

std::int32_t last_offset(const TimeZone& zone) {
  return zone.changes.empty() ? zone.offset : zone.changes.back().after;
}

}  // namespace

std::optional<TimeZone> parse_zone_rule(std::string_view text) {
  const auto rule = read_rule(text);
  if (!rule) return std::nullopt;
  TimeZone zone;
  zone.offset = rule->standard;
  if (rule->days) {
    const auto& [to_summer, back] = *rule->days;
    if (back.in(kFirstRuleYear) < to_summer.in(kFirstRuleYear)) zone.offset = rule->summer;
  }
  rule->extend(zone, std::numeric_limits<Second>::min(), zone.offset);
  return zone;
}

std::optional<TimeZone> parse_zone_file(std::string_view content) {
  ZoneBytes bytes{content};
  auto header = read_header(bytes);
  if (!header) return std::nullopt;
  if (header->version < '2') return read_body(bytes, *header, 4);
  bytes.take(header->body_bytes(4));
  header = read_header(bytes);
  if (!header) return std::nullopt;
  auto zone = read_body(bytes, *header, 8);
  if (!zone || !bytes.good) return std::nullopt;
  const std::size_t end = bytes.rest.find('\n', 1);
  if (!bytes.rest.starts_with('\n') || end == std::string_view::npos) return std::nullopt;
  const std::string_view footer = bytes.rest.substr(1, end - 1);
  if (footer.empty()) return zone;
  const auto rule = read_rule(footer);
  if (!rule) return std::nullopt;
  const Second since = zone->changes.empty() ? std::numeric_limits<Second>::min() : zone->changes.back().at;
  rule->extend(*zone, since, last_offset(*zone));
  return zone;
}

std::int32_t offset_at(const TimeZone& zone, Second second) {
  const auto next = std::ranges::upper_bound(zone.changes, second, {}, &TimeZone::Change::at);
  return next == zone.changes.end() ? last_offset(zone) : next->before;
}

/// Of the stretches between changes, the first one that ends after the local second decides: if it begins
/// after that, the second was skipped.
LocalMoment moment_of(const TimeZone& zone, Second local) {
  auto next = std::ranges::lower_bound(zone.changes, local - 2 * kSecondsOfDay, {}, &TimeZone::Change::at);
  for (;; ++next) {
    const bool last = next == zone.changes.end();
    const Second moment = local - (last ? last_offset(zone) : next->before);
    if (!last && moment >= next->at) continue;
    const bool skipped = next != zone.changes.begin() && moment < std::prev(next)->at;
    return skipped ? LocalMoment{std::prev(next)->at, false} : LocalMoment{moment, true};
  }
}

}  // namespace luzia
