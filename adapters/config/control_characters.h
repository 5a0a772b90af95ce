// Control characters, which names, URLs and headers of the configuration may not have.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace luzia {

/// The longest URL, and the longest value of a header.
constexpr std::size_t kMaxUrlBytes = 8'000;

inline bool has_control_character(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

}  // namespace luzia
