// Quiet hours on this machine's clock. Reads the time zone, not the time; any thread.
#pragma once

#include "engine/base/time.h"
#include "engine/hook/quiet_hours.h"

namespace luzia {

/// When the quiet hours that contain `now` end; 0: `now` is not in quiet hours.
TimeUs quiet_until(const QuietHours& hours, TimeUs now);

}  // namespace luzia
