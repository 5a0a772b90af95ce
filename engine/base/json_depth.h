// Checks how deep foreign JSON nests before it is parsed into a tree. Building and copying such a tree takes
// stack for each level.
#pragma once

#include <cstddef>
#include <string_view>

namespace luzia {

/// Whether objects and arrays nest more than `levels` deep. For invalid JSON, counts its brackets outside of
/// strings. Pure, any thread.
bool nests_deeper(std::string_view json, std::size_t levels);

}  // namespace luzia
