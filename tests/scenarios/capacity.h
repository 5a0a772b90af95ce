// The scenarios' limits of the queue.
#pragma once

#include "engine/queue/capacity.h"
#include "tests/scenarios/step.h"

namespace luzia {

/// Parses "capacity N [LIMIT=N ...]"; scenario_test.cc has the limits.
Capacity capacity_of(const Step& step);

}  // namespace luzia
