#include "engine/base/ansi.h"

#include <cstdint>

namespace luzia {
namespace {

constexpr char kEscape = '\x1b';

bool within(char c, int low, int high) {
  return static_cast<std::uint8_t>(c) >= low && static_cast<std::uint8_t>(c) <= high;
}

/// The position after a string that BEL or ESC \ terminates.
std::size_t after_string(std::string_view line, std::size_t at) {
  for (; at < line.size(); ++at) {
    if (line[at] == '\a') return at + 1;
    if (line[at] == kEscape) return at + 1 < line.size() && line[at + 1] == '\\' ? at + 2 : at;
  }
  return line.size();
}

}  // namespace

std::size_t ansi_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  const char kind = text[1];
  std::size_t at = 1;
  if (kind == '[') {
    for (++at; at < text.size() && within(text[at], 0x20, 0x3F);) ++at;
    return at < text.size() && within(text[at], 0x40, 0x7E) ? at + 1 : at;
  }
  if (kind == ']' || kind == 'P' || kind == 'X' || kind == '^' || kind == '_') return after_string(text, 2);
  while (at < text.size() && within(text[at], 0x20, 0x2F)) ++at;
  return at < text.size() && within(text[at], 0x30, 0x7E) ? at + 1 : at;
}

void append_without_ansi(std::string_view line, std::string& out) {
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t escape = line.find(kEscape, at);
    out += line.substr(at, escape == std::string_view::npos ? escape : escape - at);
    at = escape == std::string_view::npos ? line.size() : escape + ansi_length(line.substr(escape));
  }
}

}  // namespace luzia
