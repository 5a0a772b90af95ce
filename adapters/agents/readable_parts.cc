#include "adapters/agents/readable_parts.h"

#include <algorithm>
#include <cstdio>

#include "adapters/agents/list.h"
#include "adapters/agents/readable_line.h"
#include "engine/base/counted.h"
#include "engine/base/json_depth.h"
#include "engine/base/utf8.h"

namespace luzia {
namespace readable {

const Json& at(const Json& value, const char* key) {
  static const Json kNone;
  if (!value.is_object()) return kNone;
  const auto found = value.find(key);
  return found == value.end() ? kNone : *found;
}

std::string_view words(const Json& value) {
  const auto* text = value.get_ptr<const std::string*>();
  return text == nullptr ? std::string_view{} : std::string_view(*text);
}

std::string_view words(const Json& value, const char* key) {
  return words(at(value, key));
}

double number(const Json& value, const char* key) {
  const Json& found = at(value, key);
  return found.is_number() ? found.get<double>() : 0;
}

std::string shortened(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  text.remove_prefix(first);
  const std::string_view line = text.substr(0, text.find('\n'));
  std::string shown = bounded_utf8(line, kShownPartBytes);
  const bool more =
      shown.size() < line.size() || text.find_first_not_of("\r\n", line.size()) != std::string::npos;
  return more ? shown + " ..." : shown;
}

void add_text(Lines& lines, std::string_view text, std::string_view prefix) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(std::string(prefix).append(text.substr(0, end)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

void add_bounded(Lines& lines, std::string_view text, std::string_view mark, Bounds bounds) {
  Lines all;
  add_text(all, text);
  const std::size_t shown = std::min(all.size(), bounds.lines);
  for (std::size_t i = 0; i < shown; ++i) {
    std::string line = bounded_utf8(all[i], bounds.line_bytes);
    if (line.size() < all[i].size()) line += " ...";
    lines.push_back(std::string(mark) + line);
  }
  const std::size_t left = all.size() - shown;
  if (left > 0) lines.push_back(std::string(mark) + "... " + counted(left, "more line"));
}

void add_result(Lines& lines, std::string_view text) {
  add_bounded(lines, text, "  ", {kShownResultLines, kShownPartBytes});
}

void add_failure(Lines& lines, std::string_view text) {
  Lines all;
  add_result(all, text.empty() ? std::string_view("failed") : text);
  for (std::string& line : all) lines.push_back("!" + line.substr(1));
}

void add_call(Lines& lines, std::string_view tool, const Json& input) {
  std::string about;
  for (const char* key : {"command", "cmd", "file_path", "filePath", "path", "notebook_path", "pattern",
                          "query", "url", "prompt", "description"}) {
    const Json& value = at(input, key);
    if (value.is_array()) about = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (about.empty()) about = words(value);
    if (!about.empty()) break;
  }
  if (about.empty() && !input.is_null() && !input.empty()) {
    about = input.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  Lines parts;
  about.erase(0, about.find_first_not_of(" \t\r\n"));
  add_bounded(parts, about, ">   ", {kShownCallLines, kShownPartBytes});
  const std::string_view first =
      parts.empty() ? std::string_view() : std::string_view(parts.front()).substr(4);
  lines.push_back("> " + std::string(tool) + (first.empty() ? "" : ": ") + std::string(first));
  if (!parts.empty()) lines.insert(lines.end(), parts.begin() + 1, parts.end());
}

std::string content_words(const Json& content) {
  if (content.is_string()) return std::string(words(content));
  std::string all;
  if (!content.is_array()) return all;
  for (const Json& part : content) {
    const std::string_view text = part.is_string() ? words(part) : words(part, "text");
    if (!text.empty()) all.append(all.empty() ? "" : "\n").append(text);
  }
  return all;
}

std::string counted_tokens(double in, double out) {
  char text[96];
  std::snprintf(text, sizeof text, "%.0f tokens in, %.0f out", in, out);
  return text;
}

void add_todos(Lines& lines, const Json& items, const char* text_key) {
  constexpr std::size_t kMostShown = 30;
  if (!items.is_array() || items.empty()) return;
  lines.emplace_back("* todo:");
  for (std::size_t i = 0; i < std::min(items.size(), kMostShown); ++i) {
    const Json& item = items[i];
    const std::string_view status = words(item, "status");
    const bool done = status == "completed" || at(item, "completed") == true;
    lines.push_back((done                      ? "  [x] "
                     : status == "in_progress" ? "  [>] "
                                               : "  [ ] ") +
                    shortened(words(item, text_key)));
  }
  if (items.size() > kMostShown)
    lines.push_back("  ... " + std::to_string(items.size() - kMostShown) + " more");
}

// Each adds the lines to show; false: not a line of that agent.
#define LUZIA_AGENT(name, format) bool format(const Json& line, Lines& lines);
LUZIA_AGENTS(LUZIA_AGENT)
#undef LUZIA_AGENT

}  // namespace readable

std::optional<std::vector<std::string>> readable_lines(std::string_view line) {
  constexpr std::size_t kMostLevels = 100;  // tool calls use a handful
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos || line[first] != '{') return std::nullopt;
  if (nests_deeper(line, kMostLevels)) return std::nullopt;
  auto json = readable::Json::parse(line, nullptr, false);
  if (json.is_discarded()) {
    // Perhaps the line has ill-formed UTF-8.
    json = readable::Json::parse(bounded_utf8(line, 4 * line.size()), nullptr, false);
  }
  if (!json.is_object()) return std::nullopt;
  std::vector<std::string> lines;
#define LUZIA_AGENT(name, format) \
  if (readable::format(json, lines)) return lines;
  LUZIA_AGENTS(LUZIA_AGENT)
#undef LUZIA_AGENT
  return std::nullopt;
}

}  // namespace luzia
