// How tests wait: for a condition, long enough for a busy machine, and never forever.
#pragma once

#include <functional>

namespace luzia {

/// Checks `condition` every few milliseconds on the caller's thread. Returns false after two minutes.
bool wait_until(const std::function<bool()>& condition);

}  // namespace luzia
