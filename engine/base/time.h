// Time as data: microseconds since 1970 UTC, taken at intake by the shell and carried in commands and events.
// Reading clocks is the business of adapters and tools; this header only converts.
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

/// 2026-11-21T09:37:39.000001Z, always UTC with six digits (RFC 3339).
std::string format_rfc3339(TimeUs time);

/// Accepts RFC 3339 with Z or an offset, "YYYY-MM-DD[ HH:MM[:SS[.frac]]]" and "HH:MM[:SS]" of today (UTC),
/// "now", "today", "yesterday", and a duration ago ("10m", "2h ago", "1 hour ago"; with a unit, since a bare
/// number may be a position). `now` anchors the relative forms.
std::optional<TimeUs> parse_time(std::string_view text, TimeUs now);

/// A moment to come: dates as above, "HH:MM[:SS]" the next time it is that late (UTC), "now", "tomorrow", and
/// a duration from now ("10m", "in 2h", "in 2 hours"). nullopt on anything else; a date may lie in the past.
std::optional<TimeUs> parse_time_to_come(std::string_view text, TimeUs now);

/// "90", "90s", "15m", "2h30m", "1d", "250ms"; a bare number is seconds. Result in milliseconds; nullopt on
/// anything else, negative values and overflow.
std::optional<std::uint64_t> parse_duration_ms(std::string_view text);

/// Short text for people: "0.3s", "12s", "4m10s", "2h05m", "3d4h".
std::string format_duration(TimeUs duration_us);

/// The same for what is often over within a second, from 0: "0 ms", "412 ms", "1.2s".
std::string format_milliseconds(double ms);

}  // namespace luzia
