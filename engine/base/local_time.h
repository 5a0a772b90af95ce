// Times as people read and write them, in the zone of this process (TZ, or the machine's); the output names
// the zone. Events, rows and JSON stay in UTC (time.h). Nothing that is decided or stored may depend on this
// header.
#pragma once

#include <string>

#include "engine/base/time.h"

namespace luzia {

/// "2026-11-21T10:37:39.000001+01:00"; if the zone is UTC, the same as format_rfc3339().
std::string format_local(TimeUs time);

/// Down to which part a time is shown.
enum class TimePart : std::size_t { minute = 16, second = 19, millisecond = 23 };

/// "2026-11-21 10:37:39+01:00", with Z in UTC.
std::string local_time(TimeUs time, TimePart to = TimePart::second);
/// "10:37:39+01:00"
std::string local_clock(TimeUs time, TimePart to = TimePart::second);

/// "15:04 CET" with the name of the zone; "2026-11-25 15:04 CET" if that is another day than `now`.
std::string clock_with_zone(TimeUs time, TimeUs now);
/// A future moment and its distance: "15:04 CET, in 9m58s". A past one: "15:04 CET".
std::string local_moment(TimeUs time, TimeUs now);

/// Like parse_time(), but a time without an offset is local. If a local time occurs twice when clocks change,
/// the first is meant. If clocks skip it, it moves later by the length of the skip.
std::optional<TimeUs> parse_local_time(std::string_view text, TimeUs now);
/// Parses a future moment: dates as above, the next "HH:MM[:SS]", "now", "tomorrow", or a duration from now
/// ("10m", "in 2h", "in 2 hours"). nullopt for anything else. A date may still be in the past.
std::optional<TimeUs> parse_local_time_to_come(std::string_view text, TimeUs now);

}  // namespace luzia
