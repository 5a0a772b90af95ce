// Recurring times: every so often, or by the five fields of cron in a time zone. Pure; any thread.
//
// The fields: minute 0-59, hour 0-23, day of the month 1-31, month 1-12 or jan-dec, day of the week 0-7 or
// sun-sat (0 and 7 are Sunday). Each is *, a number, a range a-b, a list of these, with an optional step /n.
// Instead of five fields: @hourly, @daily (@midnight), @weekly, @monthly, @yearly (@annually). As in cron, a
// day fits if it fits both fields of days; if neither begins with *, one of them suffices.
//
// When clocks change: a rule with * as its hour runs whenever the local clock shows a time that fits: none in
// the hour that is skipped, twice in the hour that comes twice. Any other rule runs exactly once: a time that
// is skipped at the first moment after, a time that comes twice the first time.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/base/time.h"
#include "engine/schedule/time_zone.h"

namespace luzia {

/// The longest text of a rule.
constexpr std::size_t kMaxCronBytes = 500;

struct Cron {
  std::bitset<60> minutes;
  std::bitset<24> hours;
  std::bitset<32> days;    // 1 to 31
  std::bitset<13> months;  // 1 to 12
  std::bitset<7> weekdays;
  bool either_day = false;  // a day needs to fit only one of days and weekdays
};

/// `bad_cron` (usage): names the field and the place in the text. Also for days that never come (30
/// February).
Result<Cron> parse_cron(std::string_view text);
/// The first time after `after`; nullopt: none in the next 45 years.
std::optional<TimeUs> next_time(const Cron& cron, const TimeZone& zone, TimeUs after);

/// When a schedule is due.
struct Recurrence {
  TimeUs every = 0;  // above 0: so often, counted from `anchor`; else by `cron`
  TimeUs anchor = 0;
  Cron cron;
  TimeZone zone;
};
std::optional<TimeUs> next_time(const Recurrence& rule, TimeUs after);
/// The number of times after `after` up to `until`. Takes days at once: years cost milliseconds.
std::uint64_t count_times(const Recurrence& rule, TimeUs after, TimeUs until);

}  // namespace luzia
