// How tests wait: for a condition, as long as a busy machine may need, and never without an end.
#pragma once

#include <functional>

namespace luzia {

/// Looks every few milliseconds until `condition` holds, on the caller's thread. False after two minutes.
bool wait_until(const std::function<bool()>& condition);

}  // namespace luzia
