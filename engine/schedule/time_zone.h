// Time zones: from which second on which offset to UTC holds. Pure; any thread.
//
// Rejected: localtime_r(), whose zone is that of the whole process.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace luzia {

/// Seconds since 1970. A local second counts as if the local clock showed UTC.
using Second = std::int64_t;

struct TimeZone {
  struct Change {
    Second at = 0;
    std::int32_t before = 0, after = 0;  // offsets in seconds east of UTC
  };
  std::int32_t offset = 0;      // if nothing ever changes
  std::vector<Change> changes;  // ascending; up to the year 2200
};

/// The content of a file of tzdata (TZif, RFC 8536). nullopt: it is none, or counts leap seconds.
std::optional<TimeZone> parse_zone_file(std::string_view bytes);
/// A POSIX TZ text: "CET-1CEST,M3.5.0,M10.5.0/3". nullopt: it is none.
std::optional<TimeZone> parse_zone_rule(std::string_view text);

std::int32_t offset_at(const TimeZone& zone, Second second);

/// When the local clock shows this second. `exists` false: clocks skip it, and `first` is the moment after
/// the skip. A second that comes twice: the first time.
struct LocalMoment {
  Second first = 0;
  bool exists = true;
};
LocalMoment moment_of(const TimeZone& zone, Second local);

}  // namespace luzia
