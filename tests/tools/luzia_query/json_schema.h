// Checks JSON against the subset of JSON Schema that tests/tools/luzia_query/schemas uses: type, enum,
// required, properties, additionalProperties (false or a schema), items, minimum, pattern. Any other keyword
// is an error, so no rule is silently ignored.
#pragma once

#include <nlohmann/json.hpp>
#include <regex>
#include <string>

namespace luzia::test {

class JsonSchema {
 public:
  explicit JsonSchema(nlohmann::json schema) : schema_(std::move(schema)) {}
  /// Where and why the value does not match (first place), or an empty string.
  std::string mismatch(const nlohmann::json& value) const { return check(schema_, value, "$"); }

 private:
  using Json = nlohmann::json;

  static bool has_type(const std::string& type, const Json& value) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "null") return value.is_null();
    if (type == "integer") return value.is_number_integer();
    return type == "number" && value.is_number();
  }
  static bool has_one_type(const Json& types, const Json& value) {
    if (types.is_string()) return has_type(types, value);
    return std::any_of(types.begin(), types.end(), [&](const Json& type) { return has_type(type, value); });
  }
  static std::string check(const Json& schema, const Json& value, const std::string& place) {
    for (const auto& [keyword, rule] : schema.items()) {
      std::string wrong = check_keyword(schema, keyword, rule, value, place);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }
  static std::string check_keyword(const Json& schema, const std::string& keyword, const Json& rule,
                                   const Json& value, const std::string& place) {
    if (keyword == "$schema" || keyword == "title" || keyword == "description") return {};
    if (keyword == "type") {
      return has_one_type(rule, value) ? "" : place + " is no " + rule.dump() + ": " + value.dump();
    }
    if (keyword == "enum") {
      return std::find(rule.begin(), rule.end(), value) != rule.end() ? "" : place + " is " + value.dump();
    }
    if (keyword == "minimum") {
      return !value.is_number() || value >= rule ? "" : place + " is less than " + rule.dump();
    }
    if (keyword == "pattern") {
      if (!value.is_string()) return {};
      const bool fits = std::regex_search(value.get<std::string>(), std::regex(rule.get<std::string>()));
      return fits ? "" : place + " is " + value.dump();
    }
    if (keyword == "required") {
      for (const Json& name : rule) {
        if (value.is_object() && !value.contains(name)) return place + " has no " + name.dump();
      }
      return {};
    }
    if (keyword == "items") return check_items(rule, value, place);
    if (keyword == "properties") return check_properties(rule, value, place);
    if (keyword == "additionalProperties") return check_others(schema, rule, value, place);
    return "the schema says '" + keyword + "', which nobody checks";
  }
  static std::string check_items(const Json& rule, const Json& value, const std::string& place) {
    for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) {
      std::string wrong = check(rule, value[i], place + "[" + std::to_string(i) + "]");
      if (!wrong.empty()) return wrong;
    }
    return {};
  }
  static std::string check_properties(const Json& rule, const Json& value, const std::string& place) {
    for (const auto& [name, schema] : rule.items()) {
      if (!value.is_object() || !value.contains(name)) continue;
      std::string wrong = check(schema, value.at(name), place + "." + name);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }
  static std::string check_others(const Json& schema, const Json& rule, const Json& value,
                                  const std::string& place) {
    for (auto it = value.begin(); value.is_object() && it != value.end(); ++it) {
      if (schema.contains("properties") && schema.at("properties").contains(it.key())) continue;
      if (rule.is_boolean() && !rule.get<bool>()) return place + " has an unexpected " + it.key();
      if (rule.is_object()) {
        std::string wrong = check(rule, it.value(), place + "." + it.key());
        if (!wrong.empty()) return wrong;
      }
    }
    return {};
  }

  Json schema_;
};

}  // namespace luzia::test
