#include "engine/base/lone_surrogates.h"

#include <algorithm>
#include <charconv>

namespace luzia {
namespace {

constexpr std::size_t kEscapeBytes = 6;  // \uXXXX

/// The UTF-16 unit of the escape at `text[at]`; 0: there is none, or it is not half of a pair.
unsigned half_at(std::string_view text, std::size_t at) {
  const std::string_view escape = text.substr(std::min(at, text.size()), kEscapeBytes);
  if (escape.size() < kEscapeBytes || !escape.starts_with("\\u")) return 0;
  unsigned unit = 0;
  const char* const last = escape.data() + kEscapeBytes;
  const auto [end, error] = std::from_chars(escape.data() + 2, last, unit, 16);
  return error == std::errc{} && end == last && unit >= 0xD800 && unit <= 0xDFFF ? unit : 0;
}

}  // namespace

std::string without_lone_surrogates(std::string_view json) {
  constexpr unsigned kFirstLow = 0xDC00;
  std::string fixed;
  fixed.reserve(json.size());
  for (std::size_t at = 0; at < json.size();) {
    const std::size_t escape = std::min(json.find('\\', at), json.size());
    fixed.append(json, at, escape - at);
    const unsigned half = half_at(json, escape);
    const bool pair = half != 0 && half < kFirstLow && half_at(json, escape + kEscapeBytes) >= kFirstLow;
    const bool lone = half != 0 && !pair;
    fixed.append(lone ? "\\ufffd" : json.substr(escape, pair ? 2 * kEscapeBytes : 2));
    at = escape + (pair ? 2 * kEscapeBytes : lone ? kEscapeBytes : 2);
  }
  return fixed;
}

}  // namespace luzia
