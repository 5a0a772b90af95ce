#include "engine/base/escape_sequences.h"

#include <algorithm>
#include <cstdint>

namespace luzia {
namespace {

constexpr char kEscape = '\x1b';

/// The position after the bytes from `at` on that lie within the bounds.
std::size_t after_bytes(std::string_view text, std::size_t at, std::uint8_t low, std::uint8_t high) {
  const auto lies_within = [&](char c) {
    const auto byte = static_cast<std::uint8_t>(c);
    return byte >= low && byte <= high;
  };
  while (at < text.size() && lies_within(text[at])) ++at;
  return at;
}

/// The position after the one byte at `at`, if it lies within the bounds and so ends a sequence.
std::size_t after_final(std::string_view text, std::size_t at, std::uint8_t low) {
  return after_bytes(text.substr(0, std::min(at + 1, text.size())), at, low, 0x7E);
}

/// OSC, DCS, SOS, PM, APC: up to BEL or ESC \. Another sequence ends it as well.
std::size_t after_string(std::string_view text) {
  const std::size_t end = text.find_first_of("\a\x1b", 2);
  if (end == std::string_view::npos) return text.size();
  if (text[end] == '\a') return end + 1;
  return text.substr(end).starts_with("\x1b\\") ? end + 2 : end;
}

/// Bytes of the sequence that `text` begins with.
std::size_t sequence_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  if (text[1] == '[') return after_final(text, after_bytes(text, 2, 0x20, 0x3F), 0x40);
  if (std::string_view("]PX^_").find(text[1]) != std::string_view::npos) return after_string(text);
  return after_final(text, after_bytes(text, 1, 0x20, 0x2F), 0x30);
}

}  // namespace

void append_without_escapes(std::string_view text, std::string& out, std::size_t most) {
  while (!text.empty() && out.size() < most) {
    const std::size_t escape = std::min(text.find(kEscape), text.size());
    out.append(text, 0, std::min(escape, most - out.size()));
    text.remove_prefix(escape);
    text.remove_prefix(sequence_length(text));
  }
}

}  // namespace luzia
