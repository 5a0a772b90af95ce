#include "engine/base/utf8.h"

#include <algorithm>
#include <cstdint>

namespace luzia {
namespace {

struct Sequence {
  std::size_t length;  // bytes to step over, at least 1
  bool valid;
};

/// The well-formed ranges of table 3-7 of the Unicode standard: only the second byte has special bounds.
Sequence next_sequence(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return {1, true};
  if (lead < 0xC2 || lead > 0xF4) return {1, false};
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  const std::uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const std::uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  for (std::size_t i = 1; i < length; ++i) {
    const bool fits =
        i < text.size() && byte(i) >= (i == 1 ? low : 0x80) && byte(i) <= (i == 1 ? high : 0xBF);
    if (!fits) return {i, false};
  }
  return {length, true};
}

}  // namespace

std::string bounded_utf8(std::string_view text, std::size_t max_bytes) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  std::string result;
  result.reserve(std::min(text.size(), max_bytes));
  while (!text.empty()) {
    const auto [length, valid] = next_sequence(text);
    const std::string_view piece = valid ? text.substr(0, length) : kReplacement;
    if (result.size() + piece.size() > max_bytes) break;
    result += piece;
    text.remove_prefix(length);
  }
  return result;
}

}  // namespace luzia
