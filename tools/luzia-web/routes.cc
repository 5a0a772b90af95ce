#include "tools/luzia-web/routes.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "adapters/config/nearest.h"
#include "engine/base/json_depth.h"
#include "engine/base/try.h"

namespace luzia::web {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 27> kPassedOptions{
    "ended-since", "ended-before", "words", "all",    "job",      "project",    "agent",    "tag",   "state",
    "since",       "until",        "limit", "cursor", "schedule", "model",      "step",     "at",    "by",
    "open",        "recent",       "from",  "to",     "results",  "characters", "machines", "fleet", "site"};

/// Takes the first part off a path that is not empty.
std::string_view take_part(std::string_view& path) {
  path.remove_prefix(1);
  const std::string_view part = path.substr(0, path.find('/'));
  path.remove_prefix(part.size());
  return part;
}

bool is_value(std::string_view part) {
  return part.starts_with('{');
}

/// How many values the path contains for the pattern; nullopt: it is another one.
std::optional<std::size_t> values_in(std::string_view pattern, std::string_view path) {
  std::size_t values = 0;
  while (!pattern.empty() && !path.empty()) {
    const std::string_view wanted = take_part(pattern), given = take_part(path);
    if (is_value(wanted) && !given.empty()) {
      ++values;
    } else if (wanted != given) {
      return std::nullopt;
    }
  }
  return pattern.empty() && path.empty() ? std::optional(values) : std::nullopt;
}

Match matched(const Route& route, std::string_view path) {
  Match match{&route, {}};
  for (std::string_view pattern = route.pattern; !pattern.empty();) {
    const std::string_view wanted = take_part(pattern), given = take_part(path);
    if (is_value(wanted)) match.values.emplace(wanted.substr(1, wanted.size() - 2), given);
  }
  return match;
}

FieldKind kind_of(const Option& option) {
  switch (option.kind) {
    case ValueKind::flag:
      return FieldKind::flag;
    case ValueKind::number:
      return FieldKind::whole;
    case ValueKind::real:
    case ValueKind::factor:
      return FieldKind::real;
    case ValueKind::texts:
    case ValueKind::list:
    case ValueKind::states:
    case ValueKind::shown_states:
    case ValueKind::flow_states:
    case ValueKind::todo_states:
      return FieldKind::texts;
    case ValueKind::text:
    case ValueKind::duration:
    case ValueKind::bytes:
    case ValueKind::percent:
    case ValueKind::moment:
    case ValueKind::bound:
    case ValueKind::moment_to_come:
    case ValueKind::place:
    case ValueKind::place_before:
    case ValueKind::choice:
    case ValueKind::priority:
      return FieldKind::text;
  }
  return FieldKind::text;
}

bool fits(FieldKind kind, const Json& value) {
  switch (kind) {
    case FieldKind::text:
      return value.is_string();
    case FieldKind::whole:
      return value.is_number_unsigned();
    case FieldKind::real:
      return value.is_number() && value.get<double>() >= 0;
    case FieldKind::flag:
      return value.is_boolean();
    case FieldKind::texts:
      return value.is_array() &&
             std::ranges::all_of(value, [](const Json& each) { return each.is_string(); });
    case FieldKind::objects:
      return value.is_array() &&
             std::ranges::all_of(value, [](const Json& each) { return each.is_object(); });
  }
  return false;
}

std::string_view word_for(FieldKind kind) {
  switch (kind) {
    case FieldKind::text:
      return "a string";
    case FieldKind::whole:
      return "a whole number";
    case FieldKind::real:
      return "a number of at least 0";
    case FieldKind::flag:
      return "true or false";
    case FieldKind::texts:
      return "a list of strings";
    case FieldKind::objects:
      return "a list of objects";
  }
  return "";
}

std::string meant(const std::string& name, const std::vector<std::string>& known) {
  const std::string near = nearest_name(name, known);
  return near.empty() ? "GET /v1/openapi.json lists them" : "did you mean " + near + "?";
}

/// Whether the object has only these fields, each of its kind, and those that must be. `what`: the object, in
/// words. `bad_field` (usage).
Status checked_fields(std::span<const Field> fields, const Json& object, const std::string& what) {
  std::vector<std::string> names;
  for (const Field& field : fields) names.emplace_back(field.name);
  for (const auto& [name, value] : object.items()) {
    const auto known = std::ranges::find(fields, name, &Field::name);
    if (known == fields.end())
      return fail(ErrorKind::usage, "bad_field", what + " has an unknown field '" + name + "'",
                  meant(name, names));
    if (!fits(known->kind, value))
      return fail(ErrorKind::usage, "bad_field",
                  "the field " + name + (what == "the body" ? "" : " of " + what) + " must be " +
                      std::string(word_for(known->kind)));
    for (std::size_t i = 0; !known->items.empty() && i < value.size(); ++i)
      LUZIA_TRY(checked_fields(known->items, value[i], name + "[" + std::to_string(i) + "]"));
  }
  for (const Field& field : fields) {
    if (field.required && !object.contains(field.name))
      return fail(ErrorKind::usage, "bad_field", what + " lacks the field " + std::string(field.name),
                  std::string(field.name) + ": " + std::string(field.meaning));
  }
  return {};
}

}  // namespace

std::string_view name_of(Role role) {
  switch (role) {
    case Role::anyone:
      return "anyone";
    case Role::viewer:
      return "viewer";
    case Role::op:
      return "operator";
    case Role::admin:
      return "admin";
  }
  return "";
}

Result<Match> find_route(std::string_view method, std::string_view path) {
  // What a pattern begins with, up to its first value, rules most routes out at little cost.
  static const auto kBeginnings = [] {
    std::vector<std::pair<std::string_view, const Route*>> beginnings;
    for (const Route& route : all_routes())
      beginnings.emplace_back(route.pattern.substr(0, route.pattern.find('{')), &route);
    return beginnings;
  }();
  const Route* found = nullptr;
  std::size_t fewest = 0;
  bool of_other_method = false;
  for (const auto& [beginning, route] : kBeginnings) {
    const auto values = path.starts_with(beginning) ? values_in(route->pattern, path) : std::nullopt;
    if (!values) continue;
    if (route->method != (method == "HEAD" ? "GET" : method)) {
      of_other_method = true;
    } else if (found == nullptr || *values < fewest) {
      found = route;  // the more exact one
      fewest = *values;
    }
  }
  if (found != nullptr) return matched(*found, path);
  if (of_other_method)
    return fail(ErrorKind::usage, "bad_method", "this address takes no " + std::string(method),
                "GET /v1/openapi.json lists addresses and methods");
  return fail(ErrorKind::not_found, "no_such_route", "there is nothing at this address",
              "GET /v1/openapi.json lists all addresses");
}

std::vector<Field> parameters_of(const Command& command) {
  std::vector<Field> fields;
  for (const Option& option : command.options) {
    const std::string_view name = long_name(option);
    if (!option.help.empty() && std::ranges::find(kPassedOptions, name) != kPassedOptions.end())
      fields.push_back({name, kind_of(option), option.help});
  }
  return fields;
}

std::vector<Field> parameters_of(const Route& route) {
  std::vector<Field> fields = route.command == nullptr ? std::vector<Field>() : parameters_of(*route.command);
  fields.insert(fields.end(), route.parameters.begin(), route.parameters.end());
  return fields;
}

Status checked_parameters(const Route& route, const Request& request) {
  if (request.query.empty()) return {};
  const auto fields = parameters_of(route);
  std::vector<std::string> names;
  for (const Field& field : fields) names.emplace_back(field.name);
  std::set<std::string_view> seen;
  for (const auto& [name, value] : request.query) {
    const auto known = std::ranges::find(fields, name, &Field::name);
    if (known == fields.end())
      return fail(ErrorKind::usage, "unknown_parameter", "this address takes no parameter '" + name + "'",
                  meant(name, names));
    if (!seen.insert(name).second && known->kind != FieldKind::texts)
      return fail(ErrorKind::usage, "repeated_parameter", "the parameter " + name + " is given twice",
                  "give it once");
  }
  return {};
}

Result<Json> checked_body(const Route& route, std::string_view body) {
  constexpr std::size_t kDeepest = 8;
  Json json = body.empty() ? Json::object() : Json();
  std::vector<std::set<std::string>> open;  // fields of the objects around
  bool repeated = false;
  const auto look = [&](int /*depth*/, Json::parse_event_t event, const Json& value) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key)
      repeated = !open.back().insert(value.get<std::string>()).second || repeated;
    return true;
  };
  if (!body.empty() && !nests_deeper(body, kDeepest)) json = Json::parse(body, look, false);
  if (!json.is_object())
    return fail(ErrorKind::usage, "bad_json", "the body is no JSON object", "see GET /v1/openapi.json");
  // Parsers differ in which of them counts.
  if (repeated)
    return fail(ErrorKind::usage, "bad_json", "an object in the body has a field twice", "give it once");
  LUZIA_TRY(checked_fields(route.body, json, "the body"));
  return json;
}

}  // namespace luzia::web
