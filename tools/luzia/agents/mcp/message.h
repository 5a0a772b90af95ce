// Messages of JSON-RPC 2.0 as the Model Context Protocol uses it over standard input and output: one a line,
// no batches. Pure, any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "tools/cli/json_text.h"

namespace luzia::mcp {

enum class ErrorCode : int {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
};

/// A request (with an id, to be answered) or a notification (without).
struct Message {
  std::optional<Json> id;  // a string or a whole number
  std::string method;
  Json params = Json::object();
};

/// Why a line is none. `id`: null where it could not be read.
struct Malformed {
  ErrorCode code;
  std::string message;
  Json id;
};

/// A line without its end. Nothing for the answer to a request, of which this side never sends any.
tl::expected<std::optional<Message>, Malformed> read_message(std::string_view line);

/// Lines without their end.
std::string result_line(const Json& id, Json result);
std::string error_line(const Json& id, ErrorCode code, const std::string& message);
std::string notification_line(const char* method, Json params);

}  // namespace luzia::mcp
