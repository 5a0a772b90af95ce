// JSON-RPC 2.0 messages as the Model Context Protocol uses them over standard input and output: one per line,
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

/// Why a line is not a valid message. `id`: null if it could not be read.
struct Malformed {
  ErrorCode code;
  std::string message;
  Json id;
};

/// Parses a line without its line end. Nothing: the message is a response, and this side sends no requests.
tl::expected<std::optional<Message>, Malformed> read_message(std::string_view line);

// The functions below return lines without line end.
std::string result_line(const Json& id, Json result);
std::string error_line(const Json& id, ErrorCode code, const std::string& message);
std::string notification_line(const char* method, Json params);

}  // namespace luzia::mcp
