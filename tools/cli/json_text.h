// JSON that other programs send or people keep in files, read without trust. Pure, any thread.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace luzia {

using Json = nlohmann::json;

/// Deeper nesting is refused: what walks a value does so by recursion.
constexpr std::size_t kMaxJsonDepth = 64;

/// `bad_json` (usage): no JSON, ill-formed UTF-8, or nested too deeply. Escaped halves of surrogate pairs, as
/// programs write them that cut text by UTF-16 units, read as U+FFFD.
Result<Json> parse_json(std::string_view text);

/// A text of an object; empty where it has none of that name, or something else.
std::string text_of(const Json& object, const char* name);

/// On one line; ill-formed UTF-8 becomes U+FFFD.
std::string json_line(const Json& value);

/// The longest beginning of `text` of at most `most` bytes that ends between characters; where something was
/// left out an ellipsis follows, within `most`.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace luzia
