#include <algorithm>
#include <nlohmann/json.hpp>

#include "adapters/older_tool/older_queue.h"

namespace luzia {
namespace {

using Json = nlohmann::json;

/// A basic string of TOML, on one line.
std::string toml_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.append(1, '\\').append(1, c);
    } else if (byte < 0x20 || byte == 0x7f) {
      static constexpr char kDigits[] = "0123456789ABCDEF";
      out.append("\\u00").append(1, kDigits[byte >> 4]).append(1, kDigits[byte & 15]);
    } else {
      out.push_back(c);
    }
  }
  return out + "\"";
}

/// A comment line without control characters, which could end it.
std::string comment(const std::string& text) {
  return "# " + toml_text(text) + " has no counterpart and is left out\n";
}

std::string list_of(const Json& texts) {
  std::string list = "[";
  for (const Json& each : texts) list += (list.size() > 1 ? ", " : "") + toml_text(each.get<std::string>());
  return list + "]";
}

bool is_list_of_texts(const Json& value) {
  return value.is_array() &&
         std::all_of(value.begin(), value.end(), [](const Json& each) { return each.is_string(); });
}

/// What people wrote as a text or a list of texts, as one text; empty: neither.
std::string words_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  std::string words;
  if (!is_list_of_texts(value)) return words;
  for (const Json& each : value) words += (words.empty() ? "" : ", ") + each.get<std::string>();
  return words;
}

/// Adds a part to what the project's agents are told to keep in mind.
void add_focus(std::string& focus, const std::string& part) {
  if (!part.empty()) focus += (focus.empty() ? "" : "; ") + part;
}

/// Knowledge without a key of its own is something to keep in mind, too.
void write_knowledge(const Json& knowledge, std::string& lines, std::string& focus, std::string& left) {
  std::string fields;
  for (const auto& [name, value] : knowledge.items()) {
    const bool has_key = name == "framework" || name == "language" || name == "build_system";
    const std::string words = words_of(value);
    if (words.empty()) {
      left += comment("knowledge." + name);
    } else if (has_key) {
      fields += (fields.empty() ? "" : ", ") + name + " = " + toml_text(words);
    } else {
      add_focus(focus, name + ": " + words);
    }
  }
  if (!fields.empty()) lines += "knowledge = { " + fields + " }\n";
}

std::string project_as_toml(const std::string& name, const Json& project) {
  std::string lines = "[projects." + toml_text(name) + "]\n";
  std::string focus, left;
  for (const auto& [key, value] : project.items()) {
    const bool in_words = !words_of(value).empty();
    if (key == "path" && value.is_string()) {
      lines += "path = " + toml_text(value.get<std::string>()) + "\n";
    } else if (key == "tools" && is_list_of_texts(value)) {
      lines += "tools = " + list_of(value) + "\n";
    } else if (key == "knowledge" && value.is_object()) {
      write_knowledge(value, lines, focus, left);
    } else if ((key == "focus" || key == "knowledge") && in_words) {
      add_focus(focus, words_of(value));
    } else {
      left += comment(key);
    }
  }
  if (!focus.empty()) lines += "focus = " + toml_text(focus) + "\n";
  return lines + left;
}

}  // namespace

Result<std::string> older_config_as_toml(std::string_view json) {
  const Json whole = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  const auto bad = [](const char* why) { return fail(ErrorKind::usage, "bad_older_config", why); };
  if (!whole.is_object()) return bad("it is no JSON object");
  const auto projects = whole.find("projects");
  if (projects == whole.end() || !projects->is_object()) return bad("\"projects\" is missing, or no object");
  std::string toml;
  for (const auto& [name, project] : projects->items()) {
    if (!project.is_object()) return bad("one of its projects is not an object");
    toml += (toml.empty() ? "" : "\n") + project_as_toml(name, project);
  }
  for (const auto& [key, value] : whole.items()) {
    if (key != "projects") toml += (toml.empty() ? "" : "\n") + comment(key);
  }
  return toml;
}

}  // namespace luzia
