// The escapes \uXXXX of JSON: UTF-16 units, of which a character beyond U+FFFF takes two, a surrogate pair.
// Pure, any thread.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace luzia {

constexpr std::size_t kUnitEscapeBytes = 6;  // \uXXXX

/// The unit of the escape at `text[at]`; nullopt: there is none.
inline std::optional<unsigned> escaped_unit(std::string_view text, std::size_t at) {
  if (at + kUnitEscapeBytes > text.size() || text.compare(at, 2, "\\u") != 0) return std::nullopt;
  unsigned unit = 0;
  const char* const last = text.data() + at + kUnitEscapeBytes;
  const auto [end, error] = std::from_chars(text.data() + at + 2, last, unit, 16);
  return error == std::errc{} && end == last ? std::optional(unit) : std::nullopt;
}

/// How the escape at `text[at]` counts.
enum class EscapedUnit { none, whole, pair, lone };  // pair: with the next escape; lone: half of a pair

inline EscapedUnit escape_at(std::string_view text, std::size_t at) {
  const auto is_high = [](unsigned unit) { return unit >= 0xD800 && unit <= 0xDBFF; };
  const auto is_low = [](unsigned unit) { return unit >= 0xDC00 && unit <= 0xDFFF; };
  const auto unit = escaped_unit(text, at);
  if (!unit) return EscapedUnit::none;
  if (!is_high(*unit)) return is_low(*unit) ? EscapedUnit::lone : EscapedUnit::whole;
  const auto next = escaped_unit(text, at + kUnitEscapeBytes);
  return next && is_low(*next) ? EscapedUnit::pair : EscapedUnit::lone;
}

}  // namespace luzia
