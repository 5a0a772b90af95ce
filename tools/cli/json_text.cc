#include "tools/cli/json_text.h"

#include <algorithm>

#include "engine/base/json_escape.h"

namespace luzia {
namespace {

/// Returns the nesting depth. `fixed` becomes the text with lone surrogates replaced; empty if there are
/// none. One pass over the text.
std::size_t look_over(std::string_view text, std::string& fixed) {
  std::size_t depth = 0, deepest = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string && c == '\\') {
      const EscapedUnit unit = escape_at(text, at);
      if (unit == EscapedUnit::pair) {
        at += 2 * kUnitEscapeBytes - 1;
      } else if (unit == EscapedUnit::lone) {
        if (fixed.empty()) fixed = text;
        fixed.replace(at + 2, 4, "fffd");
        at += kUnitEscapeBytes - 1;
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
