#include "adapters/issues/ansi.h"

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

/// The position after the sequence (ECMA-48) whose ESC precedes `at`.
std::size_t after_sequence(std::string_view line, std::size_t at) {
  if (at >= line.size()) return at;
  const char kind = line[at];
  if (kind == '[') {
    for (++at; at < line.size() && within(line[at], 0x20, 0x3F);) ++at;
    return at < line.size() && within(line[at], 0x40, 0x7E) ? at + 1 : at;
  }
  if (kind == ']' || kind == 'P' || kind == 'X' || kind == '^' || kind == '_') {
    return after_string(line, at + 1);
  }
  while (at < line.size() && within(line[at], 0x20, 0x2F)) ++at;
  return at < line.size() && within(line[at], 0x30, 0x7E) ? at + 1 : at;
}

}  // namespace

void append_without_ansi(std::string_view line, std::string& out) {
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t escape = line.find(kEscape, at);
    out += line.substr(at, escape == std::string_view::npos ? escape : escape - at);
    at = escape == std::string_view::npos ? line.size() : after_sequence(line, escape + 1);
  }
}

}  // namespace luzia
