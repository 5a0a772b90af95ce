// Makes JSON valid that programs write that cut text by UTF-16 units. Pure, any thread.
#pragma once

#include <string>
#include <string_view>

namespace luzia {

/// Replaces each escape \uXXXX that is half of a surrogate pair by that of U+FFFD.
std::string without_lone_surrogates(std::string_view json);

}  // namespace luzia
