// Reads UTF-8 that may be invalid, one character at a time. Pure, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace luzia {

/// A character of `size` bytes. `valid` false: one byte that is not valid UTF-8 (overlong, surrogate, cut
/// off).
struct Character {
  std::uint32_t code = 0;
  std::size_t size = 1;
  bool valid = false;
};

/// The character at the beginning of `text`, which must not be empty.
Character first_character(std::string_view text);

void append_utf8(std::string& out, std::uint32_t code);

/// U+FFFD as UTF-8.
inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

}  // namespace luzia
