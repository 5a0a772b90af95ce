// Job ids: 13 characters of Crockford's base32 in lower case (no i, l, o, u), sortable by time of intake:
// 8 characters of milliseconds since 2025-01-01 UTC (34 years), 2 of sequence within the millisecond, 3 of
// site. Unique on a machine because the sequence never goes back, unique across machines by the site's
// number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/time.h"

namespace luzia {

constexpr std::size_t kIdLength = 13;

/// Hands out ids; loop thread only. A clock that steps back, or beyond what 8 characters can
/// tell (2059), only stops the millisecond from advancing.
class IdSource {
 public:
  /// `site_number`: 0..32767, fixed at the store's creation. `last_id`: the greatest id ever given, or empty.
  IdSource(std::uint16_t site_number, std::string_view last_id);
  std::string next(TimeUs now);

 private:
  std::uint16_t site_number_;
  std::uint64_t last_tick_ = 0;  // milliseconds * 1024 + sequence
};

/// The id of a job of another tool that was there at `time`: sorted among the others by it, the rest from
/// `hash`, so that the same job has the same id again. Times before 2025 share the first milliseconds, in
/// their order.
std::string id_of_past(TimeUs time, std::uint64_t hash);

bool is_job_id(std::string_view text);

/// Whether `text` could be the beginning of an id (1 to 13 characters of the alphabet).
bool is_job_id_prefix(std::string_view text);

}  // namespace luzia
