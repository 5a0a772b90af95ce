// Quiet hours on this machine's clock. Reads the time zone, not the time; any thread.
#pragma once

#include "engine/base/time.h"
#include "engine/hook/quiet_hours.h"

namespace luzia {

/// When the quiet time that holds `now` is over; 0: it is none.
TimeUs quiet_until(const QuietHours& hours, TimeUs now);

}  // namespace luzia
