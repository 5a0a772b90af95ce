#include "engine/schedule/cron.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <span>

#include "engine/base/lower_case.h"

namespace luzia {
namespace {

constexpr Second kMinuteSeconds = 60, kDaySeconds = 86'400;
/// 29 February on a given weekday comes every 40 years around 2100.
constexpr int kMostDays = 45 * 366;
/// No later time is asked for: years have four digits.
constexpr TimeUs kLatest = 250'000'000'000 * kSecondUs;

constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                      "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kWeekdays = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

struct CronField {
  std::string_view name;
  int least, most;
  std::span<const std::string_view> words = {};  // for `least` and the numbers after it
};
constexpr std::array<CronField, 5> kFields = {{{"minute", 0, 59},
                                               {"hour", 0, 23},
                                               {"day of the month", 1, 31},
                                               {"month", 1, 12, kMonths},
                                               {"day of the week", 0, 7, kWeekdays}}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kShorthands = {
    {{"@hourly", "0 * * * *"},
     {"@daily", "0 0 * * *"},
     {"@midnight", "0 0 * * *"},
     {"@weekly", "0 0 * * 0"},
     {"@monthly", "0 0 1 * *"},
     {"@yearly", "0 0 1 1 *"},
     {"@annually", "0 0 1 1 *"}}};

constexpr const char* kExample = "five fields: minute hour day month weekday, such as \"0 7 * * 1-5\"";

tl::unexpected<Error> bad_cron(std::string what, std::string hint = kExample) {
  return fail(ErrorKind::usage, "bad_cron", std::move(what), std::move(hint));
}

/// Reads one field into the numbers that fit.
class FieldReader {
 public:
  /// `place`: of the field in the whole text, from 0.
  FieldReader(const CronField& field, std::string_view text, std::size_t place)
      : field_(field), text_(text), place_(place) {}

  Result<std::bitset<60>> read() {
    std::bitset<60> fits;
    for (std::size_t begin = 0; begin <= text_.size();) {
      const std::size_t end = std::min(text_.find(',', begin), text_.size());
      LUZIA_TRY(add_part(text_.substr(begin, end - begin), begin, fits));
      begin = end + 1;
    }
    return fits;
  }

 private:
  tl::unexpected<Error> wrong(std::string_view part, std::size_t at, const std::string& why) const {
    return bad_cron(std::string(field_.name) + ", at character " + std::to_string(place_ + at + 1) + ": '" +
                    std::string(part) + "' " + why);
  }
  Result<int> number(std::string_view word, std::size_t at) const {
    const std::string low = lower_case(word);
    if (const auto named = std::ranges::find(field_.words, low); named != field_.words.end())
      return field_.least + static_cast<int>(named - field_.words.begin());
    int value = 0;
    bool digits = !word.empty() && word.size() <= 4;
    for (const char c : word) {
      digits = digits && c >= '0' && c <= '9';
      if (digits) value = value * 10 + (c - '0');
    }
    if (digits && value >= field_.least && value <= field_.most) return value;
    return wrong(word, at,
                 "must be " + std::to_string(field_.least) + " to " + std::to_string(field_.most) +
                     (field_.words.empty() ? std::string()
                                           : " or " + std::string(field_.words.front()) + " to " +
                                                 std::string(field_.words.back())));
  }
  Status add_part(std::string_view part, std::size_t at, std::bitset<60>& fits) const {
    const std::size_t slash = part.find('/');
    const std::string_view range = part.substr(0, slash);
    int step = 1;
    if (slash != std::string_view::npos) {
      const std::string_view word = part.substr(slash + 1);
      const bool digits =
          !word.empty() && word.size() <= 2 && word.find_first_not_of("0123456789") == std::string_view::npos;
      step = digits ? std::stoi(std::string(word)) : 0;
      if (step == 0) return wrong(word, at + slash + 1, "is no step; write a number of at least 1");
    }
    int first = field_.least, last = field_.most;
    if (range != "*") {
      const std::size_t dash = range.find('-');
      first = LUZIA_TRY(number(range.substr(0, dash), at));
      if (dash != std::string_view::npos) {
        last = LUZIA_TRY(number(range.substr(dash + 1), at + dash + 1));
        if (field_.most == 7 && last == 0 && first > 0) last = 7;  // the Sunday at the end of a week
        if (last < first) return wrong(range, at, "ends before it begins; write two ranges with a comma");
      } else if (slash == std::string_view::npos) {
        last = first;
      }
    }
    for (int value = first; value <= last; value += step) fits.set(static_cast<std::size_t>(value));
    return {};
  }

  const CronField& field_;
  std::string_view text_;
  std::size_t place_;
};

struct Word {
  std::string_view text;
  std::size_t place = 0;
};

std::vector<Word> words_of(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  std::vector<Word> words;
  for (std::size_t at = text.find_first_not_of(kBlanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    words.push_back({text.substr(at, end - at), at});
    at = text.find_first_not_of(kBlanks, end);
  }
  return words;
}

template <std::size_t kSize>
std::bitset<kSize> first_of(const std::bitset<60>& all) {
  std::bitset<kSize> some;
  for (std::size_t i = 0; i < kSize; ++i) some[i] = all[i];
  return some;
}

/// Whether some month has one of the days.
bool has_some_day(const Cron& cron) {
  constexpr std::array<std::size_t, 13> kLengths = {0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  for (std::size_t month = 1; month <= 12; ++month) {
    for (std::size_t day = 1; cron.months[month] && day <= kLengths[month]; ++day) {
      if (cron.days[day]) return true;
    }
  }
  return false;
}

Second floor_second(TimeUs time) {
  return time / kSecondUs - (time % kSecondUs < 0 ? 1 : 0);
}

bool fits_day(const Cron& cron, std::chrono::sys_days day) {
  const std::chrono::year_month_day date(day);
  const bool by_date = cron.days[static_cast<unsigned>(date.day())];
  const bool by_week = cron.weekdays[std::chrono::weekday(day).c_encoding()];
  return cron.months[static_cast<unsigned>(date.month())] &&
         (cron.either_day ? by_date || by_week : by_date && by_week);
}

std::chrono::sys_days day_of(Second local) {
  return std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds(std::chrono::seconds(local)));
}

bool fits_minute(const Cron& cron, Second local) {
  const auto day = day_of(local);
  const auto minute = (local - day.time_since_epoch().count() * kDaySeconds) / kMinuteSeconds;
  return cron.hours[static_cast<std::size_t>(minute / 60)] &&
         cron.minutes[static_cast<std::size_t>(minute % 60)] && fits_day(cron, day);
}

/// The first time in a stretch that the local clock shows for the second time; `otherwise`: none before that.
Second first_repeated(const Cron& cron, const TimeZone& zone, Second after, Second otherwise) {
  auto change = std::ranges::lower_bound(zone.changes, after - 2 * kDaySeconds, {}, &TimeZone::Change::at);
  for (; change != zone.changes.end() && change->at < otherwise; ++change) {
    const Second end = std::min<Second>(otherwise, change->at + change->before - change->after);
    // The first whole minute of the local clock.
    Second local = change->at + change->after;
    local += (kMinuteSeconds - local % kMinuteSeconds) % kMinuteSeconds;
    for (; local - change->after < end; local += kMinuteSeconds) {
      if (local - change->after > after && fits_minute(cron, local)) return local - change->after;
    }
  }
  return otherwise;
}

std::uint64_t count_one_by_one(const Cron& cron, const TimeZone& zone, TimeUs after, TimeUs until) {
  std::uint64_t count = 0;
  for (auto next = next_time(cron, zone, after); next && *next <= until; next = next_time(cron, zone, *next))
    ++count;
  return count;
}

/// Whole days of a local clock that does not change: they begin at `first`, a midnight.
struct PlainDays {
  Second first = 0;
  std::chrono::sys_days day;  // that begins then
  Second count = 0;
};
/// The first ones after `from` that end by `until`.
PlainDays plain_days(const TimeZone& zone, Second from, Second until) {
  PlainDays plain;
  const std::int32_t offset = offset_at(zone, from);
  plain.day = day_of(from + offset) + std::chrono::days(1);
  plain.first = plain.day.time_since_epoch().count() * kDaySeconds - offset;
  plain.count = std::max<Second>(0, until - plain.first) / kDaySeconds;
  return plain;
}

std::uint64_t count_cron_times(const Cron& cron, const TimeZone& zone, TimeUs after, TimeUs until) {
  constexpr Second kNearChange = 2 * kDaySeconds;
  const std::uint64_t each_day = cron.hours.count() * cron.minutes.count();
  std::uint64_t count = 0;
  const auto count_up_to = [&](TimeUs time) {
    count += count_one_by_one(cron, zone, after, time);
    after = time;
  };
  while (after < until) {
    const Second from = floor_second(after);
    const auto change = std::ranges::upper_bound(zone.changes, from - kNearChange, {}, &TimeZone::Change::at);
    const bool changes = change != zone.changes.end();
    if (changes && change->at <= from + kNearChange) {
      count_up_to(std::min(until, (change->at + kNearChange) * kSecondUs));
      continue;
    }
    const TimeUs quiet = changes ? std::min(until, (change->at - kNearChange) * kSecondUs) : until;
    const PlainDays plain = plain_days(zone, from, floor_second(quiet));
    if (plain.count == 0) {
      count_up_to(quiet);
      continue;
    }
    count_up_to(plain.first * kSecondUs - 1);
    for (Second i = 0; i < plain.count; ++i) {
      if (fits_day(cron, plain.day + std::chrono::days(i))) count += each_day;
    }
    after = (plain.first + plain.count * kDaySeconds) * kSecondUs - 1;
  }
  return count;
}

}  // namespace

Result<Cron> parse_cron(std::string_view text) {
  if (text.size() > kMaxCronBytes)
    return bad_cron("it has more than " + std::to_string(kMaxCronBytes) + " bytes");
  std::vector<Word> words = words_of(text);
  if (words.size() == 1 && words[0].text.starts_with('@')) {
    const std::string low = lower_case(words[0].text);
    const auto known = std::ranges::find(kShorthands, low, [](const auto& each) { return each.first; });
    if (known == kShorthands.end()) {
      return bad_cron("'" + std::string(words[0].text) + "' is no shorthand",
                      "@hourly, @daily, @weekly, @monthly, @yearly");
    }
    words = words_of(known->second);
  }
  if (words.size() != kFields.size())
    return bad_cron("it has " + std::to_string(words.size()) + " fields instead of five");
  std::array<std::bitset<60>, 5> fits;
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    fits[i] = LUZIA_TRY(FieldReader(kFields[i], words[i].text, words[i].place).read());
  }
  Cron cron;
  cron.minutes = fits[0];
  cron.hours = first_of<24>(fits[1]);
  cron.days = first_of<32>(fits[2]);
  cron.months = first_of<13>(fits[3]);
  cron.weekdays = first_of<7>(fits[4]);
  if (fits[4][7]) cron.weekdays.set(0);
  cron.either_day = !words[2].text.starts_with('*') && !words[4].text.starts_with('*');
  if (!cron.either_day && !has_some_day(cron)) {
    return bad_cron("day of the month, at character " + std::to_string(words[2].place + 1) +
                        ": no month that it names has such a day",
                    "the last day of every month has no rule; use day 1, or 28");
  }
  return cron;
}

std::optional<TimeUs> next_time(const Cron& cron, const TimeZone& zone, TimeUs after) {
  if (after < -kLatest || after > kLatest) return std::nullopt;
  const Second from = floor_second(after);
  const Second local_from = from + offset_at(zone, from);
  const bool by_hour = cron.hours.all();
  std::chrono::sys_days day = day_of(local_from);
  for (int i = 0; i < kMostDays; ++i, day += std::chrono::days(1)) {
    if (!fits_day(cron, day)) continue;
    const Second midnight = day.time_since_epoch().count() * kDaySeconds;
    const Second passed = std::max<Second>(0, local_from - midnight) / kMinuteSeconds;
    for (auto minute = static_cast<std::size_t>(passed); minute < 1'440; ++minute) {
      if (!cron.hours[minute / 60] || !cron.minutes[minute % 60]) continue;
      const Second local = midnight + static_cast<Second>(minute) * kMinuteSeconds;
      if (local <= local_from) continue;  // this or an earlier moment
      const LocalMoment moment = moment_of(zone, local);
      if (moment.first <= from || (by_hour && !moment.exists)) continue;
      return (by_hour ? first_repeated(cron, zone, from, moment.first) : moment.first) * kSecondUs;
    }
  }
  return std::nullopt;
}

std::optional<TimeUs> next_time(const Recurrence& rule, TimeUs after) {
  if (rule.every <= 0) return next_time(rule.cron, rule.zone, after);
  if (after < rule.anchor) return rule.anchor + rule.every;
  if (after > kLatest) return std::nullopt;
  return rule.anchor + ((after - rule.anchor) / rule.every + 1) * rule.every;
}

std::uint64_t count_times(const Recurrence& rule, TimeUs after, TimeUs until) {
  until = std::min(until, kLatest);
  if (until <= after) return 0;
  if (rule.every <= 0) return count_cron_times(rule.cron, rule.zone, std::max(after, -kLatest), until);
  const auto number_up_to = [&rule](TimeUs time) {
    return time < rule.anchor ? 0 : static_cast<std::uint64_t>((time - rule.anchor) / rule.every);
  };
  return number_up_to(until) - number_up_to(after);
}

}  // namespace luzia
