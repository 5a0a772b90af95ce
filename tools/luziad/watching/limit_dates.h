// When usage limits reset that agents tell of in words. The words mean the clock here on the day of writing,
// which is long ago where no daemon read them, so the moment is recorded with them. Any thread.
#pragma once

#include "engine/job/job.h"

namespace luzia {

/// Fills in the moments in a stretch of output that was read at `now`.
void date_limits(RecordOutput& stretch, TimeUs now);

}  // namespace luzia
