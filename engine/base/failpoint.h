// Named places at which a test can end the process, as kill -9 would. LUZIA_FAILPOINTS=NAME@N[,NAME@N...]:
// the process ends at its Nth passing of NAME. Without the variable a passing costs one comparison; the
// variable is read once, at the first passing. Any thread. The places there are: tests/README.md.
#pragma once

#include <string_view>

namespace luzia {

void failpoint(std::string_view name);

}  // namespace luzia
