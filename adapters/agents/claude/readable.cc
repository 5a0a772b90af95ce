// Claude Code's stream-json.
#include <algorithm>
#include <cstdio>

#include "adapters/agents/readable_line.h"
#include "adapters/agents/readable_parts.h"

namespace luzia::readable {
namespace {

/// "> AskUserQuestion: Which colour? (red, blue)", one line for each question.
void add_questions(Lines& lines, const Json& questions) {
  constexpr std::size_t kMostShown = 4;
  for (std::size_t i = 0; i < std::min(questions.size(), kMostShown); ++i) {
    std::string options;
    const Json& offered = at(questions[i], "options");
    for (std::size_t j = 0; offered.is_array() && j < std::min(offered.size(), kMostShown); ++j) {
      options.append(options.empty() ? "" : ", ").append(words(offered[j], "label"));
    }
    const std::string question = shortened(words(questions[i], "question"));
    lines.push_back("> AskUserQuestion: " + question +
                    (options.empty() ? "" : " (" + shortened(options) + ")"));
  }
}

void add_block(Lines& lines, const Json& block, std::string_view prefix) {
  const std::string_view type = words(block, "type");
  if (type == "text") {
    add_text(lines, words(block, "text"), prefix);
  } else if (type == "thinking") {
    const std::string thought = shortened(words(block, "thinking"));
    if (!thought.empty()) lines.push_back(std::string(prefix) + "(thinks) " + thought);
  } else if (type == "tool_use" || type == "server_tool_use" || type == "mcp_tool_use") {
    const Json& input = at(block, "input");
    const bool is_list = words(block, "name") == "TodoWrite" || words(block, "name") == "todo_write";
    if (is_list && at(input, "todos").is_array()) return add_todos(lines, at(input, "todos"), "content");
    const std::size_t before = lines.size();
    if (words(block, "name") == "AskUserQuestion" && at(input, "questions").is_array()) {
      add_questions(lines, at(input, "questions"));
    } else {
      add_call(lines, words(block, "name"), input);
    }
    for (std::size_t i = before; i < lines.size(); ++i) lines[i].insert(0, prefix);
  }
}

void add_tool_result(Lines& lines, const Json& block) {
  if (words(block, "type") != "tool_result") return;
  std::string text = content_words(at(block, "content"));
  // The program's own refusals are within a tag meant for the model.
  constexpr std::string_view kOpened = "<tool_use_error>", kClosed = "</tool_use_error>";
  if (text.starts_with(kOpened) && text.ends_with(kClosed)) {
    text = text.substr(kOpened.size(), text.size() - kOpened.size() - kClosed.size());
  }
  if (at(block, "is_error") == true) return add_failure(lines, text);
  add_result(lines, text);
}

void add_message(Lines& lines, const Json& line, bool assistant) {
  const Json& content = at(at(line, "message"), "content");
  // Marks a subagent's messages, to distinguish them from its caller's.
  const std::string_view prefix = words(line, "parent_tool_use_id").empty() ? "" : "| ";
  if (content.is_string()) return add_text(lines, words(content), assistant ? prefix : "< ");
  if (!content.is_array()) return;
  for (const Json& block : content) {
    if (assistant) {
      add_block(lines, block, prefix);
    } else if (words(block, "type") == "text") {
      add_text(lines, words(block, "text"), "< ");
    } else {
      add_tool_result(lines, block);
    }
  }
}

void add_system(Lines& lines, const Json& line) {
  const std::string_view subtype = words(line, "subtype");
  if (subtype == "init") {
    lines.push_back("* session " + std::string(words(line, "session_id")) + ", model " +
                    std::string(words(line, "model")));
  } else if (subtype == "api_retry") {
    char text[160];
    std::snprintf(text, sizeof text,
                  "! the service refused (%.0f), try %.0f of %.0f: ", number(line, "error_status"),
                  number(line, "attempt"), number(line, "max_retries"));
    lines.push_back(text + shortened(words(line, "error")));
  }
}

void add_end(Lines& lines, const Json& line) {
  char text[120];
  const bool names_cost = at(line, "total_cost_usd").is_number();
  std::snprintf(text, sizeof text, names_cost ? " after %.0f turns, $%.4f" : " after %.0f turns",
                number(line, "num_turns"), number(line, "total_cost_usd"));
  const bool deferred = words(line, "stop_reason") == "tool_deferred";
  const std::string_view subtype = words(line, "subtype");
  if (subtype == "success" && at(line, "is_error") != true) {
    lines.push_back((deferred ? "* waits for a decision" : "* completed") + std::string(text));
    return add_bounded(lines, words(line, "result"), "  ", {kShownAnswerLines, kShownAnswerBytes});
  }
  lines.push_back("! " + std::string(subtype == "success" ? "failed" : subtype) + text);
  if (!words(line, "result").empty()) add_failure(lines, words(line, "result"));
  if (!at(line, "errors").is_array()) return;
  for (const Json& error : at(line, "errors")) add_failure(lines, words(error));
}

/// Partial messages that arrive complete later, and the program's internal messages.
bool is_of_no_concern(std::string_view type) {
  for (const std::string_view known : {"stream_event", "command_lifecycle", "attachment", "tool_progress",
                                       "control_request", "control_response", "keep_alive"}) {
    if (type == known) return true;
  }
  return false;
}

}  // namespace

bool claude(const Json& line, Lines& lines) {
  const std::string_view type = words(line, "type");
  const bool message = (type == "assistant" || type == "user") && at(line, "message").is_object();
  if (message) {
    add_message(lines, line, type == "assistant");
    return true;
  }
  if (!at(line, "session_id").is_string()) return false;
  if (type == "result") {
    add_end(lines, line);
  } else if (type == "system") {
    add_system(lines, line);
  } else if (type == "rate_limit_event") {
    const Json& info = at(line, "rate_limit_info");
    if (words(info, "status") == "rejected") {
      lines.push_back("! usage limit reached: " + std::string(words(info, "rateLimitType")));
    }
  } else {
    return is_of_no_concern(type);
  }
  return true;
}

}  // namespace luzia::readable
