// Helpers shared by the readable forms of all agents' lines. Private to adapters/agents.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace luzia::readable {

using Json = nlohmann::json;
using Lines = std::vector<std::string>;

/// A member; null if `value` is not an object or has no such member.
const Json& at(const Json& value, const char* key);
/// Empty if the value is not a string.
std::string_view words(const Json& value);
std::string_view words(const Json& value, const char* key);
/// 0 if the value is not a number.
double number(const Json& value, const char* key);

/// At most kShownPartBytes of the first line, with a mark if something was left out.
std::string shortened(std::string_view text);
/// Adds the whole text line by line, without empty lines at the end.
void add_text(Lines& lines, std::string_view text, std::string_view prefix = "");
/// Adds the first lines, each after `mark`, and the number of lines left out.
struct Bounds {
  std::size_t lines, line_bytes;
};
void add_bounded(Lines& lines, std::string_view text, std::string_view mark, Bounds bounds);
/// Adds a tool's result, indented and within the bounds of results.
void add_result(Lines& lines, std::string_view text);
void add_failure(Lines& lines, std::string_view text);
/// "> TOOL: SUBJECT", then the further lines of the subject.
void add_call(Lines& lines, std::string_view tool, const Json& input);
/// The text of message content: a string, or the texts of its parts, one per line.
std::string content_words(const Json& content);
/// "N tokens in, N out"
std::string counted_tokens(double in, double out);
/// "* todo: [x] done [>] under way [ ] open"
void add_todos(Lines& lines, const Json& items, const char* text_key);

}  // namespace luzia::readable
