// JSON lines of Codex, Gemini and opencode.
#include <cstdio>

#include "adapters/agents/readable_parts.h"

namespace luzia::readable {
namespace {

std::string counted_tokens(double in, double out) {
  char text[96];
  std::snprintf(text, sizeof text, "%.0f tokens in, %.0f out", in, out);
  return text;
}

// ---- Codex ----

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

// ---- opencode ----

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
