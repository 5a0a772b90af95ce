// Named points at which a test can end the process as kill -9 would. With LUZIA_FAILPOINTS=NAME@N[,NAME@N...]
// the process ends when it passes NAME for the Nth time. Without the variable a pass costs one comparison.
// The variable is read once, at the first pass. Any thread. tests/README.md lists the points.
#pragma once

#include <string_view>

namespace luzia {

void failpoint(std::string_view name);

}  // namespace luzia
