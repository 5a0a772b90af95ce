// Parses untrusted JSON from other programs and files. Pure, any thread.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace luzia {

using Json = nlohmann::json;

/// Deeper nesting is refused, because values are walked recursively.
constexpr std::size_t kMaxJsonDepth = 64;

/// `bad_json` (usage): not JSON, ill-formed UTF-8, or nested too deeply. Lone escaped surrogates, which
/// programs write that cut text by UTF-16 units, become U+FFFD.
Result<Json> parse_json(std::string_view text);

/// The string member `name`; empty if it is missing or not a string.
std::string text_of(const Json& object, const char* name);

/// The value on one line; ill-formed UTF-8 becomes U+FFFD.
std::string json_line(const Json& value);

/// `text` cut to at most `most` bytes, between characters. If something was cut, it ends with an ellipsis,
/// which counts toward `most`.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace luzia
