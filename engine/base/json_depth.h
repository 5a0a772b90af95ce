// Checks how deep foreign JSON nests before it is parsed into a tree. Building and copying such a tree takes
// stack for each level.
#pragma once

#include <cstddef>
#include <string_view>

namespace luzia {

/// How to treat `// ...` and `/* ... */` outside of strings: as an error in the JSON, or skipped, like the
/// parser that reads it next.
enum class JsonComments { none, skipped };

/// Whether objects and arrays nest more than `levels` deep. For invalid JSON, counts its brackets outside of
/// strings. Pure, any thread.
bool nests_deeper(std::string_view json, std::size_t levels, JsonComments comments = JsonComments::none);

}  // namespace luzia
