// Names of environment variables. Pure, any thread.
#pragma once

#include <algorithm>
#include <string_view>

namespace luzia {

/// Letters, digits and underscores, not beginning with a digit: what POSIX (Base Definitions, 8.1) and shells
/// accept.
inline bool is_variable_name(std::string_view name) {
  const auto is_letter = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !name.empty() && is_letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace luzia
