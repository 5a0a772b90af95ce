// JSON lines of Codex.
#include "adapters/agents/readable_parts.h"

namespace luzia::readable {
namespace {

void add_codex_result(Lines& lines, const Json& item) {
  const Json& code = at(item, "exit_code");
  const std::string_view status = words(item, "status");
  std::string text(words(item, "aggregated_output"));
  if (text.empty()) text = content_words(at(at(item, "result"), "content"));
  if (text.empty()) text = words(at(item, "error"), "message");
  const bool failed = status == "failed" || status == "declined" || (code.is_number() && code != 0);
  if (!failed) return add_result(lines, text);
  lines.push_back(code.is_number() ? "! exit code " + code.dump() : "! " + std::string(status));
  add_failure(lines, text);
}

void add_codex_call(Lines& lines, const Json& item) {
  const Json& changes = at(item, "changes");
  if (!changes.is_array()) {
    if (words(item, "type") == "mcp_tool_call") {
      const std::string tool = std::string(words(item, "server")) + "." + std::string(words(item, "tool"));
      return add_call(lines, tool, at(item, "arguments"));
    }
    const std::string tool(words(item, "tool").empty() ? words(item, "type") : words(item, "tool"));
    Json about = item;
    for (const char* key : {"id", "type", "status", "aggregated_output", "exit_code"}) about.erase(key);
    return add_call(lines, tool, about);
  }
  for (const Json& change : changes) {
    lines.push_back("> " + std::string(words(change, "kind")) + " file: " + shortened(words(change, "path")));
  }
}

void add_codex_item(Lines& lines, const Json& item, bool started) {
  const std::string_view type = words(item, "type");
  if (type == "agent_message") {
    if (!started) add_text(lines, words(item, "text"));
  } else if (type == "reasoning") {
    if (!started) lines.push_back("(thinks) " + shortened(words(item, "text")));
  } else if (type == "todo_list") {
    add_todos(lines, at(item, "items"), "text");
  } else if (type == "error") {
    if (!started) add_failure(lines, words(item, "message"));
  } else if (started) {
    add_codex_call(lines, item);
  } else {
    add_codex_result(lines, item);
  }
}

}  // namespace

bool codex(const Json& line, Lines& lines) {
  const std::string_view type = words(line, "type");
  if (type == "thread.started") {
    lines.push_back("* session " + std::string(words(line, "thread_id")));
  } else if (type == "turn.completed") {
    const Json& usage = at(line, "usage");
    lines.push_back("* completed, " +
                    counted_tokens(number(usage, "input_tokens"), number(usage, "output_tokens")));
  } else if (type == "turn.failed") {
    add_failure(lines, words(at(line, "error"), "message"));
  } else if (type == "error" && at(line, "message").is_string() && !at(line, "timestamp").is_string()) {
    add_failure(lines, words(line, "message"));
  } else if (type == "item.started" || type == "item.completed" || type == "item.updated") {
    const Json& item = at(line, "item");
    if (!item.is_object()) return true;
    if (type != "item.updated" || words(item, "type") == "todo_list") {
      add_codex_item(lines, item, type == "item.started");
    }
  } else {
    return type == "turn.started";
  }
  return true;
}

}  // namespace luzia::readable
