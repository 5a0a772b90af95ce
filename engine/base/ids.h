// Job ids: 13 characters of lowercase Crockford base32 (no i, l, o, u), sorted by creation time. 8 characters
// of milliseconds since 2025-01-01 UTC (34 years), 2 of a sequence within the millisecond, 3 of the site.
// Unique on one machine because the sequence never goes back; unique across machines by the site number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/time.h"

namespace luzia {

constexpr std::size_t kIdLength = 13;

/// Generates ids; loop thread only. If the clock steps back, or beyond what 8 characters can express (2059),
/// the millisecond part stops advancing.
class IdSource {
 public:
  /// `site_number`: 0..32767, fixed when the store is created. `last_id`: the greatest id ever generated, or
  /// empty.
  IdSource(std::uint16_t site_number, std::string_view last_id);
  std::string next(TimeUs now);

 private:
  std::uint16_t site_number_;
  std::uint64_t last_tick_ = 0;  // milliseconds * 1024 + sequence
};

/// The id of an imported job that was created at `time`. It sorts by that time among other ids; the rest
/// comes from `hash`, so importing the same job again gives the same id. Times before 2025 are mapped to the
/// first milliseconds, in their order.
std::string id_of_past(TimeUs time, std::uint64_t hash);

bool is_job_id(std::string_view text);

/// Whether `text` could be the beginning of an id (1 to 13 characters of the alphabet).
bool is_job_id_prefix(std::string_view text);

}  // namespace luzia
