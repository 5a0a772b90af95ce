// Checks a call's arguments against the tool's schema. Supports only the parts of JSON Schema that the tools
// use.
#include <algorithm>
#include <cmath>

#include "adapters/config/nearest.h"
#include "tools/luzia/agents/mcp/tools.h"

namespace luzia::mcp {
namespace {

using Mistake = std::optional<std::string>;

bool has_type(const Json& value, const std::string& type) {
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  if (type == "number") return value.is_number();
  // An integer. As in JSON Schema, 5.0 is one.
  return value.is_number() && std::trunc(value.get<double>()) == value.get<double>();
}

std::string shown_value(const Json& value) {
  return shortened(json_line(value), 80);
}

Mistake check_number(const std::string& name, const Json& value, const Json& schema) {
  for (const auto& [key, sign] : {std::pair{"minimum", 1.0}, std::pair{"maximum", -1.0}}) {
    const auto bound = schema.find(key);
    if (bound != schema.end() && sign * (value.get<double>() - bound->get<double>()) < 0) {
      return name + " is " + shown_value(value) + ", but its " + key + " is " + shown_value(*bound);
    }
  }
  return {};
}

Mistake check_text(const std::string& name, const Json& value, const Json& schema) {
  const auto& text = value.get_ref<const std::string&>();
  if (text.size() < schema.value("minLength", std::size_t{0})) return name + " is empty";
  // Characters, as JSON Schema counts.
  const auto length = static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
  const std::size_t most = schema.value("maxLength", length);
  if (length > most) return name + " is longer than " + std::to_string(most) + " characters";
  const auto words = schema.find("enum");
  if (words != schema.end() && std::find(words->begin(), words->end(), value) == words->end()) {
    return name + " is " + shown_value(value) + ", but must be one of " + json_line(*words);
  }
  return {};
}

Mistake check_value(const std::string& name, const Json& value, const Json& schema);

Mistake check_list(const std::string& name, const Json& value, const Json& schema) {
  const std::size_t least = schema.value("minItems", std::size_t{0});
  const std::size_t most = schema.value("maxItems", value.size());
  if (value.size() < least || value.size() > most) {
    return name + " has " + std::to_string(value.size()) + " items, but takes " + std::to_string(least) +
           " to " + std::to_string(most);
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (Mistake mistake = check_value(name + "[" + std::to_string(i) + "]", value[i], schema["items"])) {
      return mistake;
    }
  }
  return {};
}

Mistake check_value(const std::string& name, const Json& value, const Json& schema) {
  const Json& types = schema["type"];
  const bool fits =
      types.is_array()
          ? std::any_of(types.begin(), types.end(),
                        [&](const Json& type) { return has_type(value, type.get_ref<const std::string&>()); })
          : has_type(value, types.get_ref<const std::string&>());
  if (!fits) {
    const std::string type = types.is_array() ? json_line(types) : types.get<std::string>();
    return name + " is " + shown_value(value) + ", not of type " + type;
  }
  if (value.is_number()) return check_number(name, value, schema);
  if (value.is_string()) return check_text(name, value, schema);
  if (value.is_array()) return check_list(name, value, schema);
  return {};
}

}  // namespace

std::optional<std::string> argument_mistake(const Tool& tool, const Json& arguments) {
  const Json schema = schema_of(tool);
  const Json& properties = schema["properties"];
  std::vector<std::string> known;
  for (const auto& [name, property] : properties.items()) {
    known.push_back(name);
    const auto given = arguments.find(name);
    // Models send null for arguments that they leave out.
    if (given != arguments.end() && !given->is_null()) {
      if (Mistake mistake = check_value(name, *given, property)) return mistake;
    }
  }
  for (const auto& name : schema.value("required", Json::array())) {
    const auto given = arguments.find(name.get_ref<const std::string&>());
    if (given == arguments.end() || given->is_null()) return name.get<std::string>() + " is missing";
  }
  if (schema["additionalProperties"] == Json(true)) return {};
  for (const auto& [name, value] : arguments.items()) {
    if (!properties.contains(name)) {
      const std::string near = nearest_name(shortened(name, 100), known);
      return "unknown argument " + shown_value(name) + (near.empty() ? "" : ", did you mean " + near + "?");
    }
  }
  return {};
}

}  // namespace luzia::mcp
