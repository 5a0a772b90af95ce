// Records when usage limits reset that agents report in words only. The words refer to this machine's clock
// on the day of writing. If they were read later, that day would be unknown, so the moment is recorded with
// them. Any thread.
#pragma once

#include "engine/job/job.h"

namespace luzia {

/// Sets the moments in a stretch of output that was read at `now`.
void date_limits(RecordOutput& stretch, TimeUs now);

}  // namespace luzia
