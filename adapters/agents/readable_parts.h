// What the readable forms of all agents' lines share. Private to adapters/agents.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace luzia::readable {

using Json = nlohmann::json;
using Lines = std::vector<std::string>;

/// A member, or null where this is no object or has no such member.
const Json& at(const Json& value, const char* key);
/// Empty for anything but a string.
std::string_view words(const Json& value);
std::string_view words(const Json& value, const char* key);
/// 0 for anything but a number.
double number(const Json& value, const char* key);

/// At most kShownPartBytes of the first line, marked where something is left out.
std::string shortened(std::string_view text);
/// All of it, a line each; empty lines at the end are left out.
void add_text(Lines& lines, std::string_view text, std::string_view prefix = "");
/// The first lines of it, each behind `mark`, and how many are left out.
struct Bounds {
  std::size_t lines, line_bytes;
};
void add_bounded(Lines& lines, std::string_view text, std::string_view mark, Bounds bounds);
/// The same, indented, within the bounds of a tool's result.
void add_result(Lines& lines, std::string_view text);
void add_failure(Lines& lines, std::string_view text);
/// "> TOOL: what it is about", and the further lines of that.
void add_call(Lines& lines, std::string_view tool, const Json& input);
/// The strings of content: itself, or the texts of its parts, line by line.
std::string content_words(const Json& content);
/// "N tokens in, N out"
std::string counted_tokens(double in, double out);
/// "* todo: [x] done [>] under way [ ] open"
void add_todos(Lines& lines, const Json& items, const char* text_key);

}  // namespace luzia::readable
