// What the states of a job mean to everyone who reads them. Pure, any thread.
#pragma once

#include "common.fb.h"

namespace luzia {

/// Whether the job has ended. Only a retry reopens it, with its next attempt.
bool is_terminal(schema::JobState state);

}  // namespace luzia
