#include "tools/cli/json_text.h"

#include "engine/base/json_depth.h"
#include "engine/base/lone_surrogates.h"

namespace luzia {

Result<Json> parse_json(std::string_view text) {
  if (nests_deeper(text, kMaxJsonDepth)) {
    return fail(ErrorKind::usage, "bad_json",
                "nested deeper than " + std::to_string(kMaxJsonDepth) + " levels");
  }
  Json value = Json::parse(without_lone_surrogates(text), nullptr, false);
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
