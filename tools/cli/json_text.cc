#include "tools/cli/json_text.h"

#include <algorithm>
#include <optional>

namespace luzia {
namespace {

constexpr std::size_t kEscapeBytes = 6;  // \uXXXX

/// The UTF-16 unit of the escape that begins at `at`; nothing if there is no escape.
std::optional<unsigned> unit_at(std::string_view text, std::size_t at) {
  if (at + kEscapeBytes > text.size() || text[at] != '\\' || text[at + 1] != 'u') return std::nullopt;
  unsigned unit = 0;
  for (const char c : text.substr(at + 2, 4)) {
    const unsigned digit = c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
                           : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a' + 10)
                           : c >= 'A' && c <= 'F' ? static_cast<unsigned>(c - 'A' + 10)
                                                  : 16;
    if (digit == 16) return std::nullopt;
    unit = unit * 16 + digit;
  }
  return unit;
}

bool is_high(std::optional<unsigned> unit) {
  return unit && *unit >= 0xD800 && *unit <= 0xDBFF;
}
bool is_low(std::optional<unsigned> unit) {
  return unit && *unit >= 0xDC00 && *unit <= 0xDFFF;
}

/// Returns the nesting depth. `fixed` becomes the text with lone surrogates replaced; empty if there are
/// none. One pass over the text.
std::size_t look_over(std::string_view text, std::string& fixed) {
  std::size_t depth = 0, deepest = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string && c == '\\') {
      const auto unit = unit_at(text, at);
      if (is_high(unit) && is_low(unit_at(text, at + kEscapeBytes))) {
        at += 2 * kEscapeBytes - 1;
      } else if (is_high(unit) || is_low(unit)) {
        if (fixed.empty()) fixed = text;
        fixed.replace(at + 2, 4, "fffd");
        at += kEscapeBytes - 1;
      } else {
        ++at;
      }
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == '{' || c == '[')) {
      deepest = std::max(deepest, ++depth);
    } else if (!in_string && (c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

}  // namespace

Result<Json> parse_json(std::string_view text) {
  std::string fixed;
  if (look_over(text, fixed) > kMaxJsonDepth) {
    return fail(ErrorKind::usage, "bad_json",
                "nested deeper than " + std::to_string(kMaxJsonDepth) + " levels");
  }
  if (!fixed.empty()) text = fixed;
  Json value = Json::parse(text.begin(), text.end(), nullptr, false);
  if (value.is_discarded()) return fail(ErrorKind::usage, "bad_json", "this is not JSON in UTF-8");
  return value;
}

std::string text_of(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string json_line(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string shortened(std::string_view text, std::size_t most) {
  constexpr std::string_view kEllipsis = "…";
  if (text.size() <= most) return std::string(text);
  std::size_t end = most < kEllipsis.size() ? 0 : most - kEllipsis.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + std::string(most < kEllipsis.size() ? "" : kEllipsis);
}

}  // namespace luzia
