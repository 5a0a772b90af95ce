// Times as people read and write them: in the zone of this process (TZ, else the machine's), which is named.
// Events, rows and JSON stay in UTC (time.h); nothing that is decided or stored depends on this header.
#pragma once

#include <string>

#include "engine/base/time.h"

namespace luzia {

/// 2026-11-21T10:37:39.000001+01:00; where the zone is UTC as format_rfc3339().
std::string format_local(TimeUs time);

/// How much of a time is shown.
enum class TimePart : std::size_t { minute = 16, second = 19, millisecond = 23 };

/// "2026-11-21 10:37:39+01:00", with Z in UTC.
std::string local_time(TimeUs time, TimePart to = TimePart::second);
/// "10:37:39+01:00"
std::string local_clock(TimeUs time, TimePart to = TimePart::second);

/// "15:04 CET", by the name of the zone; "2026-11-25 15:04 CET" if that is another day than `now`.
std::string clock_with_zone(TimeUs time, TimeUs now);
/// A moment to come, and how far off it is: "15:04 CET, in 9m58s". One that has come: "15:04 CET".
std::string local_moment(TimeUs time, TimeUs now);

/// As parse_time() and parse_time_to_come(), but what names no offset is local. A time that the clocks pass
/// twice is the first of the two; one that they jump over is as much later as they jump.
std::optional<TimeUs> parse_local_time(std::string_view text, TimeUs now);
std::optional<TimeUs> parse_local_time_to_come(std::string_view text, TimeUs now);

}  // namespace luzia
