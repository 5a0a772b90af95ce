// JSON lines of opencode.
#include "adapters/agents/readable_parts.h"

namespace luzia::readable {
namespace {

void add_opencode_tool(Lines& lines, const Json& part) {
  const Json& state = at(part, "state");
  const Json& input = at(state, "input");
  if (words(part, "tool") == "todowrite") {
    add_todos(lines, at(input, "todos"), "content");
  } else {
    add_call(lines, words(part, "tool"), input);
  }
  const Json& code = at(at(state, "metadata"), "exit");
  if (words(state, "status") == "error") return add_failure(lines, words(state, "error"));
  if (code.is_number() && code != 0) {
    lines.push_back("! exit code " + code.dump());
    return add_failure(lines, words(state, "output"));
  }
  if (words(part, "tool") != "todowrite") add_result(lines, words(state, "output"));
}

}  // namespace

bool opencode(const Json& line, Lines& lines) {
  if (!at(line, "sessionID").is_string()) return false;
  const std::string_view type = words(line, "type");
  const Json& part = at(line, "part");
  if (type == "text") {
    add_text(lines, words(part, "text"));
  } else if (type == "reasoning") {
    lines.push_back("(thinks) " + shortened(words(part, "text")));
  } else if (type == "tool_use") {
    add_opencode_tool(lines, part);
  } else if (type == "error") {
    const Json& error = at(line, "error");
    const std::string_view message = words(at(error, "data"), "message");
    add_failure(lines, message.empty() ? words(error, "name") : message);
  } else if (type == "step_finish") {
    if (words(part, "reason") == "stop") lines.emplace_back("* completed");
  } else {
    return type == "step_start";
  }
  return true;
}

}  // namespace luzia::readable
