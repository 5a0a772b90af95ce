// Quiet hours, and times of the day, on this machine's clock. Reads the time zone, not the time; any thread.
#pragma once

#include "engine/base/time.h"
#include "engine/hook/daily_time.h"
#include "engine/hook/quiet_hours.h"

namespace luzia {

/// When the quiet hours that contain `now` end; 0: `now` is not in quiet hours.
TimeUs quiet_until(const QuietHours& hours, TimeUs now);

/// The last such moment that is not after `now`, and the next one after it. Of a time that occurs twice when
/// clocks change, the first is meant; one that clocks skip moves by the length of the skip. 0: the calendar
/// has none.
TimeUs last_moment(const DailyTime& daily, TimeUs now);
TimeUs next_moment(const DailyTime& daily, TimeUs now);

}  // namespace luzia
