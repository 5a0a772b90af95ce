// Lowercase for comparisons without regard to case. Pure, any thread.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace luzia {

/// Maps A to Z to a to z; leaves every other byte.
inline std::string lower_case(std::string_view text) {
  std::string low(text);
  std::ranges::transform(low, low.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return low;
}

}  // namespace luzia
