#include "engine/base/utf8.h"

#include <algorithm>
#include <cstring>

#include "engine/base/characters.h"

namespace luzia {
namespace {

/// Number of bytes before the first one that is not ASCII. Eight at a time, because nearly all text is ASCII.
std::size_t ascii_length(std::string_view text) {
  std::size_t length = 0;
  for (std::uint64_t eight = 0; text.size() - length >= sizeof eight; length += sizeof eight) {
    std::memcpy(&eight, text.data() + length, sizeof eight);
    if ((eight & 0x8080808080808080) != 0) break;
  }
  while (length < text.size() && static_cast<std::uint8_t>(text[length]) < 0x80) ++length;
  return length;
}

/// The longest prefix of complete, well-formed characters that fits into `room` bytes.
std::string_view well_formed_beginning(std::string_view text, std::size_t room) {
  std::size_t length = ascii_length(text.substr(0, room));
  while (length < text.size()) {
    const Character next = first_character(text.substr(length));
    if (!next.valid || next.size > room - length) break;
    length += next.size;
    length += ascii_length(text.substr(length, room - length));
  }
  return text.substr(0, length);
}

}  // namespace

Character first_character(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  if (lead < 0xC2 || lead > 0xF4) return {};
  const std::size_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  // Table 3-7 of the Unicode standard: only the second byte has special bounds.
  const std::uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const std::uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  std::uint32_t code = lead & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    const bool fits =
        i < text.size() && byte(i) >= (i == 1 ? low : 0x80) && byte(i) <= (i == 1 ? high : 0xBF);
    if (!fits) return {0, i, false};
    code = code << 6 | (byte(i) & 0x3FU);
  }
  return {code, size, true};
}

std::string bounded_utf8(std::string_view text, std::size_t max_bytes) {
  std::string result;
  result.reserve(std::min(text.size(), max_bytes));
  while (true) {
    const std::string_view good = well_formed_beginning(text, max_bytes - result.size());
    result += good;
    text.remove_prefix(good.size());
    if (text.empty()) return result;
    const Character next = first_character(text);
    if (next.valid || kReplacement.size() > max_bytes - result.size()) return result;  // it does not fit
    result += kReplacement;
    text.remove_prefix(next.size);
  }
}

bool is_plain_line(std::string_view text, std::size_t most) {
  return !has_control_characters(text) && bounded_utf8(text, most) == text;
}

}  // namespace luzia
