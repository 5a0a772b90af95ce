// What the states of a job's life mean to everyone who reads them. Pure, any thread.
#pragma once

#include "common.fb.h"

namespace luzia {

/// Whether the job has ended. Only a retry reopens it, as its next attempt.
bool is_terminal(schema::JobState state);

}  // namespace luzia
