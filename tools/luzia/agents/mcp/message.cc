#include "tools/luzia/agents/mcp/message.h"

namespace luzia::mcp {
namespace {

bool is_id(const Json& value) {
  return value.is_string() || value.is_number_integer();
}

std::string line_of(Json message) {
  message["jsonrpc"] = "2.0";
  return json_line(message);
}

}  // namespace

tl::expected<std::optional<Message>, Malformed> read_message(std::string_view line) {
  auto parsed = parse_json(line);
  if (!parsed) return tl::unexpected(Malformed{ErrorCode::parse_error, parsed.error().message, nullptr});
  Json& json = *parsed;
  if (!json.is_object()) {
    return tl::unexpected(Malformed{
        ErrorCode::invalid_request,
        json.is_array() ? "batches are not part of this protocol's version" : "a message must be an object",
        nullptr});
  }
  const auto id = json.find("id");
  const bool has_id = id != json.end();
  const Json shown_id = has_id && is_id(*id) ? *id : Json();
  const auto malformed = [&](ErrorCode code, const char* message) {
    return tl::unexpected(Malformed{code, message, shown_id});
  };
  const auto version = json.find("jsonrpc");
  if (version == json.end() || *version != "2.0") {
    return malformed(ErrorCode::invalid_request, "jsonrpc is not \"2.0\"");
  }
  const auto method = json.find("method");
  if (method == json.end() && (json.contains("result") || json.contains("error"))) {
    return std::optional<Message>();
  }
  if (method == json.end() || !method->is_string()) {
    return malformed(ErrorCode::invalid_request, "there is no method");
  }
  if (has_id && !is_id(*id)) {
    return malformed(ErrorCode::invalid_request, "an id must be a string or a whole number");
  }
  Message message;
  message.method = method->get<std::string>();
  if (has_id) message.id = shown_id;
  if (const auto params = json.find("params"); params != json.end()) {
    if (!params->is_object()) return malformed(ErrorCode::invalid_params, "params is not an object");
    message.params = std::move(*params);
  }
  return message;
}

std::string result_line(const Json& id, Json result) {
  return line_of({{"id", id}, {"result", std::move(result)}});
}

std::string error_line(const Json& id, ErrorCode code, const std::string& message) {
  return line_of({{"id", id}, {"error", {{"code", static_cast<int>(code)}, {"message", message}}}});
}

std::string notification_line(const char* method, Json params) {
  return line_of({{"method", method}, {"params", std::move(params)}});
}

}  // namespace luzia::mcp
