// Estimates how long a queued job will wait, by simulating the queue ahead of it on the available slots.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/time.h"

namespace luzia {

/// `places`: number of slots. `left`: time that each running job still needs (0: any moment). `ahead`: time
/// that each job ahead will take, in the order of start. nullopt in either: unknown. Returns the wait in
/// microseconds; nullopt if it depends on an unknown time, or if there are no slots.
std::optional<TimeUs> estimate_wait(std::size_t places, const std::vector<std::optional<TimeUs>>& left,
                                    const std::vector<std::optional<TimeUs>>& ahead);

}  // namespace luzia
