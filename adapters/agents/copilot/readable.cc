// JSON lines of GitHub Copilot CLI, its telemetry among them.
#include "adapters/agents/readable_parts.h"

namespace luzia::readable {
namespace {

void add_copilot_result(Lines& lines, const Json& data) {
  const Json& code = at(at(data, "shellExecution"), "exitCode");
  if (at(data, "success") == false) return add_failure(lines, words(at(data, "error"), "message"));
  const std::string_view text = words(at(data, "result"), "content");
  if (!code.is_number() || code == 0) return add_result(lines, text);
  lines.push_back("! exit code " + code.dump());
  add_failure(lines, text);
}

void add_copilot_end(Lines& lines, const Json& line) {
  const Json& code = at(line, "exitCode");
  lines.push_back(code == 0 ? "* completed, session " + std::string(words(line, "sessionId"))
                            : "! failed, exit code " + code.dump());
}

}  // namespace

bool copilot(const Json& line, Lines& lines) {
  const std::string_view type = words(line, "type");
  const Json& data = at(line, "data");
  if (type == "result" && at(line, "sessionId").is_string() && !at(line, "exitCode").is_null()) {
    add_copilot_end(lines, line);
    return true;
  }
  const std::string_view service = words(at(at(line, "resource"), "attributes"), "service.name");
  if (type == "span" || type == "metric") return service == "github-copilot";
  if (!data.is_object() || type.find('.') == std::string_view::npos) return false;
  if (type == "user.message") {
    add_text(lines, words(data, "content"), "< ");
  } else if (type == "assistant.message") {
    add_text(lines, words(data, "content"));
  } else if (type == "assistant.reasoning") {
    lines.push_back("(thinks) " + shortened(words(data, "content")));
  } else if (type == "tool.execution_start") {
    add_call(lines, words(data, "toolName"), at(data, "arguments"));
  } else if (type == "tool.execution_complete") {
    add_copilot_result(lines, data);
  } else if (type == "session.error") {
    add_failure(lines, words(data, "message"));
  }
  return true;
}

}  // namespace luzia::readable
