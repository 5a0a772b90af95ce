// How long a queued job will probably wait: the queue before it is laid out over the places in time. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/time.h"

namespace luzia {

/// `places` run at once; `left` is what the jobs now at work still need (0: any moment), `ahead` what each
/// job before ours will take, in the order of start; nullopt in either: not known. The wait in microseconds;
/// nullopt when it hangs on something that is not known, or when nothing may run.
std::optional<TimeUs> estimate_wait(std::size_t places, const std::vector<std::optional<TimeUs>>& left,
                                    const std::vector<std::optional<TimeUs>>& ahead);

}  // namespace luzia
