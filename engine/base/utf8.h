// Reads text from outside as UTF-8 and makes it fit for an event: valid and of bounded size. Pure, any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace luzia {

/// U+FFFD as UTF-8.
inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// A character of `size` bytes. `valid` false: as many bytes are no UTF-8 (overlong, a surrogate, cut off)
/// and stand for one U+FFFD: the maximal subpart that the Unicode standard recommends.
struct Character {
  std::uint32_t code = 0;
  std::size_t size = 1;
  bool valid = false;
};

/// The character at the beginning of `text`, which must not be empty.
Character first_character(std::string_view text);

/// `text` with each ill-formed sequence replaced by U+FFFD. At most `max_bytes`, cut between characters.
std::string bounded_utf8(std::string_view text, std::size_t max_bytes);

/// One line of valid text without control characters, of at most `most` bytes.
bool is_plain_line(std::string_view text, std::size_t most);

}  // namespace luzia
