// JSON lines of Gemini CLI.
#include "adapters/agents/readable_parts.h"

namespace luzia::readable {

bool gemini(const Json& line, Lines& lines) {
  const std::string_view type = words(line, "type");
  if (!at(line, "timestamp").is_string() || at(line, "message").is_object()) return false;
  if (type == "init") {
    lines.push_back("* session " + std::string(words(line, "session_id")) + ", model " +
                    std::string(words(line, "model")));
  } else if (type == "message" && at(line, "content").is_string()) {
    add_text(lines, words(line, "content"), words(line, "role") == "user" ? "< " : "");
  } else if (type == "tool_use" && at(line, "tool_name").is_string()) {
    add_call(lines, words(line, "tool_name"), at(line, "parameters"));
  } else if (type == "tool_result" && at(line, "tool_id").is_string()) {
    const std::string_view error = words(at(line, "error"), "message");
    if (words(line, "status") == "error") {
      add_failure(lines, error.empty() ? words(line, "output") : error);
    } else {
      add_result(lines, words(line, "output"));
    }
  } else if (type == "error" && at(line, "message").is_string()) {
    add_failure(lines, words(line, "message"));
  } else if (type == "result" && at(line, "status").is_string()) {
    const Json& stats = at(line, "stats");
    if (words(line, "status") == "success") {
      lines.push_back("* completed, " +
                      counted_tokens(number(stats, "input_tokens"), number(stats, "output_tokens")));
    } else {
      add_failure(lines, words(at(line, "error"), "message"));
    }
  } else {
    return false;
  }
  return true;
}

}  // namespace luzia::readable
