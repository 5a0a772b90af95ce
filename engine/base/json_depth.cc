#include "engine/base/json_depth.h"

namespace luzia {
namespace {

/// Position of the last character of the comment that begins at `at`; `at` itself: none begins there.
std::size_t end_of_comment(std::string_view json, std::size_t at) {
  const std::string_view rest = json.substr(at);
  const bool is_line = rest.starts_with("//");
  if (!is_line && !rest.starts_with("/*")) return at;
  // nlohmann-json also ends a line comment at a NUL.
  constexpr std::string_view kLineEnds("\n\r\0", 3);
  const std::size_t end = is_line ? rest.find_first_of(kLineEnds) : rest.find("*/", 2);
  if (end == std::string_view::npos) return json.size() - 1;
  return at + end + (is_line ? 0 : 1);
}

}  // namespace

bool nests_deeper(std::string_view json, std::size_t levels, JsonComments comments) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == '/' && comments == JsonComments::skipped) {
      i = end_of_comment(json, i);
    } else if (!quoted && (c == '{' || c == '[')) {
      if (++depth > levels) return true;
    } else if (!quoted && (c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return false;
}

}  // namespace luzia
