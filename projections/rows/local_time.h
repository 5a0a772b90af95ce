// Moments as people read them: by the clock of this machine. Any thread.
#pragma once

#include <string>

#include "engine/base/time.h"

namespace luzia {

/// "15:04 CET" in the time zone of this process; "2026-11-25 15:04 CET" if that is another day than `now`.
std::string local_clock(TimeUs moment, TimeUs now);

/// A moment to come, and how far off it is: "15:04 CET, in 9m58s". One that has come: "15:04 CET".
std::string local_moment(TimeUs moment, TimeUs now);

}  // namespace luzia
