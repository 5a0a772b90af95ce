// Time as data: microseconds since 1970 UTC. The shell reads the clock when a command arrives; commands and
// events carry the time. Only adapters and tools read clocks; this header only converts. Pure, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace luzia {

using TimeUs = std::int64_t;

constexpr TimeUs kMillisecondUs = 1'000;
constexpr TimeUs kSecondUs = 1'000'000;
constexpr TimeUs kMinuteUs = 60 * kSecondUs;
constexpr TimeUs kHourUs = 60 * kMinuteUs;
constexpr TimeUs kDayUs = 24 * kHourUs;

/// The earlier of two moments, each of which may be unset (0).
constexpr TimeUs earlier_moment(TimeUs one, TimeUs other) {
  if (one == 0 || other == 0) return one + other;
  return one < other ? one : other;
}

/// "2026-11-21T09:37:39.000001Z" (RFC 3339), always UTC with six digits.
std::string format_rfc3339(TimeUs time);

/// Parses a past moment. Accepts:
/// - RFC 3339 with Z or an offset
/// - "YYYY-MM-DD[ HH:MM[:SS[.frac]]]", in UTC, and "HH:MM[:SS]": the last one until `now`
/// - "now", "today", "yesterday", and these two before or after a clock time: "yesterday 22:00"
/// - a duration ago ("10m", "2h ago", "1 hour ago"), with a unit, because a bare number may be a position
///
/// `now` is the reference of the relative forms.
std::optional<TimeUs> parse_time(std::string_view text, TimeUs now);

/// "90", "90s", "15m", "2h30m", "1d", "250ms"; a bare number is seconds. Returns milliseconds; nullopt for
/// anything else, for negative values and for overflow.
std::optional<std::uint64_t> parse_duration_ms(std::string_view text);

/// Short text for people: "0.3s", "12s", "4m10s", "2h05m", "3d4h".
std::string format_duration(TimeUs duration_us);

/// The same for durations that are often below a second: "0 ms", "412 ms", "1.2s".
std::string format_milliseconds(double ms);

}  // namespace luzia
