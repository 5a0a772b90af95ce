// The OpenAPI 3.1 document, made from the table of routes.
#include "tools/luzia-web/routes.h"

namespace luzia::web {
namespace {

using Document = nlohmann::ordered_json;

Document schema_of(FieldKind kind) {
  switch (kind) {
    case FieldKind::text:
      return {{"type", "string"}};
    case FieldKind::whole:
      return {{"type", "integer"}, {"minimum", 0}};
    case FieldKind::real:
      return {{"type", "number"}, {"minimum", 0}};
    case FieldKind::flag:
      return {{"type", "boolean"}};
    case FieldKind::texts:
      return {{"type", "array"}, {"items", {{"type", "string"}}}};
    case FieldKind::objects:
      return {{"type", "array"}, {"items", {{"type", "object"}}}};
  }
  return Document::object();
}

Document parameter(std::string_view name, std::string_view where, const Document& schema,
                   std::string_view meaning) {
  Document json = {{"name", name}, {"in", where}, {"schema", schema}};
  if (where == "path") json["required"] = true;
  if (!meaning.empty()) json["description"] = meaning;
  if (schema.value("type", "") == "array") {
    json["style"] = "form";
    json["explode"] = false;
  }
  return json;
}

Document parameters_json(const Route& route) {
  Document list = Document::array();
  std::string_view rest = route.pattern;
  for (std::size_t open = 0; (open = rest.find('{')) != std::string_view::npos;) {
    rest.remove_prefix(open + 1);
    list.push_back(parameter(rest.substr(0, rest.find('}')), "path", schema_of(FieldKind::text), {}));
  }
  for (const Field& field : parameters_of(route)) {
    list.push_back(parameter(field.name, "query", schema_of(field.kind), field.meaning));
    if (field.required) list.back()["required"] = true;
  }
  if (route.handler == Handler::events && route.pattern == "/v1/events")
    list.push_back(
        parameter("Last-Event-ID", "header", schema_of(FieldKind::whole), "continue after this position"));
  const bool repeatable = route.handler == Handler::offer_pairing || route.handler == Handler::push_test;
  if (route.method == "POST" && route.role != Role::anyone && !repeatable) {
    list.push_back(parameter("Idempotency-Key", "header", schema_of(FieldKind::text),
                             "the command id: repeating it has no further effect"));
    list.back()["required"] = true;
  }
  return list;
}

Document object_schema(std::span<const Field> fields);

/// Of a field of a body: with what it means, and with the fields of its items.
Document field_schema(const Field& field) {
  Document schema = schema_of(field.kind);
  if (!field.items.empty()) schema["items"] = object_schema(field.items);
  schema["description"] = field.meaning;
  return schema;
}

Document object_schema(std::span<const Field> fields) {
  Document properties = Document::object(), required = Document::array();
  for (const Field& field : fields) {
    properties[std::string(field.name)] = field_schema(field);
    if (field.required) required.push_back(field.name);
  }
  Document schema = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = required;
  return schema;
}

Document body_json(const Route& route) {
  const Document schema = object_schema(route.body);
  return {{"required", schema.contains("required")},
          {"content", {{"application/json", {{"schema", schema}}}}}};
}

/// "getJobsJobWhy" for GET /v1/jobs/{job}/why.
std::string operation_id(const Route& route) {
  std::string id = route.method == "GET" ? "get" : "post";
  bool begins = true;
  std::string_view path = route.pattern;
  if (path.starts_with("/v1/")) path.remove_prefix(3);
  for (const char each : path) {
    const bool letter = (each >= 'a' && each <= 'z') || (each >= '0' && each <= '9');
    if (letter) id += begins && each >= 'a' ? static_cast<char>(each - 'a' + 'A') : each;
    begins = !letter;
  }
  return id;
}

Document answers_json(const Route& route) {
  const bool json = route.type == "application/json";
  const Document schema = json ? Document{{"type", "object"}} : Document{{"type", "string"}};
  Document content = {{std::string(route.type), {{"schema", schema}}}};
  if (route.handler == Handler::events && route.pattern == "/v1/events")
    content["text/event-stream"] = {{"schema", {{"type", "string"}}}};
  if (route.handler == Handler::changes) content["text/x-diff"] = {{"schema", {{"type", "string"}}}};
  return {{std::to_string(route.success), {{"description", route.summary}, {"content", content}}},
          {"default", {{"$ref", "#/components/responses/Problem"}}}};
}

Document operation(const Route& route) {
  Document json = {{"operationId", operation_id(route)},
                   {"summary", route.summary},
                   {"x-role", name_of(route.role)},
                   {"parameters", parameters_json(route)},
                   {"responses", answers_json(route)}};
  if (route.role == Role::anyone) json["security"] = Document::array();
  if (route.method == "POST") json["requestBody"] = body_json(route);
  return json;
}

Document components() {
  Document text = schema_of(FieldKind::text);
  Document problem = {{"type", "object"},
                      {"required", {"type", "title", "status", "code", "detail"}},
                      {"properties",
                       {{"type", text},
                        {"title", text},
                        {"status", {{"type", "integer"}}},
                        {"code", text},
                        {"detail", text},
                        {"hint", {{"type", {"string", "null"}}}}}}};
  Document answer = {
      {"description", "Why not (RFC 9457)"},
      {"content", {{"application/problem+json", {{"schema", {{"$ref", "#/components/schemas/Problem"}}}}}}}};
  return {{"schemas", {{"Problem", problem}}},
          {"responses", {{"Problem", answer}}},
          {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}};
}

}  // namespace

std::string openapi_document() {
  Document paths = Document::object();
  for (const Route& route : all_routes()) {
    const std::string method = route.method == "GET" ? "get" : "post";
    paths[std::string(route.pattern)][method] = operation(route);
  }
  const Document document = {
      {"openapi", "3.1.0"},
      {"info",
       {{"title", "Luzia"},
        {"version", LUZIA_VERSION},
        {"description", "Reads answer what `luzia COMMAND --json` prints; `at` shows any past moment."}}},
      {"security", Document::array({Document{{"token", Document::array()}}})},
      {"paths", paths},
      {"components", components()}};
  return document.dump(2) + "\n";
}

}  // namespace luzia::web
