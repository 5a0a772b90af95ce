// Decodes Codex: `codex exec --json`. Verified with 0.169.
//
//   thread.started       SessionIdentified; it names no model.
//   item.started         ToolCalled for command_execution, file_change, mcp_tool_call, web_search and future
//                        types with a status. Ids (item_3) are unique within the run.
//   item.completed       ToolReturned, with the item's type repeated: some releases complete items that they
//                        did not start.
//   todo_list items      TodoReported, the whole list, on each of started, updated and completed.
//   turn.completed       UsageReported: totals of the thread so far, including resumed runs (session_total);
//                        no cost, no session id on the line. input_tokens includes the cached ones.
//                        AgentConcluded.
//   error                "Reconnecting... 2/5 (why)" -> AgentRetried; any other -> AgentErrorReported.
//   turn.failed          AgentConcluded, with the text of the preceding error.
//   text "TIME ERROR codex_core::tools::router: error=WHY" (0.171): a call that its sandbox, its settings or
//   a
//                        hook refused; no item tells of it. ToolCalled, ToolReturned, ToolDenied.
//
// A usage limit is reported in words only ("try again at 11:40 AM.", in an unnamed time zone and on an
// unnamed day). Their meaning depends on where and when they are read (limit_words.h).
#include <charconv>

#include "adapters/agents/agent_lines.h"

namespace luzia::codex {
namespace {

constexpr std::string_view kReconnecting = "Reconnecting... ", kStatus = "unexpected status ";

// ---- items ----

bool is_call(JsonValue item) {
  const std::string_view type = item["type"].text();
  for (const std::string_view other : {"agent_message", "reasoning", "todo_list", "error"}) {
    if (type == other) return false;
  }
  return item["status"].is_text() || type == "web_search";
}

std::string subject_of_item(JsonValue item) {
  if (item["type"].is("mcp_tool_call")) {
    return clipped(std::string(item["server"].text()) + "." + std::string(item["tool"].text()), kMaxSubject);
  }
  std::string subject = subject_of(item);
  // Without a descriptive text, the subject would be the item's id.
  if (item["changes"].is_array() || subject == item["id"].text()) subject.clear();
  item["changes"].each(1, [&](JsonValue change) { subject = clipped(change["path"], kMaxSubject); });
  return subject;
}

/// A call of a server's tool has that tool's name.
std::string tool_of(JsonValue item) {
  if (!item["type"].is("mcp_tool_call") || item["tool"].text().empty())
    return clipped(item["type"], kMaxName);
  return clipped(std::string(item["server"].text()) + "." + std::string(item["tool"].text()), kMaxName);
}

void find_call(JsonValue item, LineFindings& findings) {
  schema::ToolCalledT call;
  call.call_id = clipped(item["id"], kMaxName);
  call.tool = tool_of(item);
  call.subject = subject_of_item(item);
  item["changes"].each(kMaxFiles,
                       [&](JsonValue change) { call.files.push_back(clipped(change["path"], kMaxPath)); });
  findings.tool(std::move(call));
}

void set_failure(JsonValue item, schema::ToolReturnedT& returned) {
  const bool denied = item["status"].is("declined") || item["status"].is("denied");
  const bool failed = denied || item["status"].is("failed") || item["error"].present();
  if (!failed && returned.exit_code.value_or(0) == 0) return;
  returned.succeeded = false;
  returned.failure = denied ? "denied" : returned.exit_code.value_or(0) != 0 ? "nonzero_exit" : "error";
  returned.text = clipped(item["aggregated_output"], kMaxReason);
  if (returned.text.empty()) returned.text = clipped(item["error"]["message"], kMaxReason);
  if (returned.text.empty()) returned.text = content_text(item["result"]["content"], kMaxReason);
}

/// A cut line lacks the end of the output and the exit code after it. The call has returned, but its result
/// is unknown, so no failure is reported.
void find_return(JsonValue item, LineFindings& findings) {
  schema::ToolReturnedT returned;
  returned.call_id = clipped(item["id"], kMaxName);
  returned.tool = tool_of(item);
  returned.succeeded = true;
  returned.exit_code = exit_code_in(item["exit_code"]);
  set_failure(item, returned);
  findings.tool_return(std::move(returned));
}

void find_todos(JsonValue item, LineFindings& findings) {
  schema::TodoReportedT list;
  list.whole = true;
  item["items"].each(kMaxTodos, [&list](JsonValue entry) {
    auto todo = std::make_unique<schema::TodoItemT>();
    todo->text = clipped(entry["text"], kMaxSubject);
    todo->status = entry["completed"].flag() ? schema::TodoStatus::completed : schema::TodoStatus::pending;
    list.items.push_back(std::move(todo));
  });
  findings.report(std::move(list));
}

/// The time stands in for the call's id.
void find_refused_call(std::string_view line, LineFindings& findings) {
  constexpr std::string_view kRouter = " ERROR codex_core::tools::router: error=";
  const std::string_view time = line.substr(0, line.find(' '));
  const std::int64_t at_us = iso_time_us(time);
  if (at_us == 0 || !line.substr(time.size()).starts_with(kRouter)) return;
  const std::string_view why = line.substr(time.size() + kRouter.size());
  const auto says = [why](std::string_view words) { return why.find(words) != std::string_view::npos; };
  const bool by_hook = why.starts_with("Command blocked by PreToolUse hook: ");
  const bool is_patch = why.starts_with("patch rejected: ") && says("rejected by user approval settings");
  if (!by_hook && !is_patch) return;
  schema::ToolCalledT call;
  call.call_id = clipped(time, kMaxName);
  call.tool = is_patch || says("*** Begin Patch") ? "apply_patch" : "command_execution";
  call.at_us = at_us;
  schema::ToolReturnedT returned;
  returned.call_id = call.call_id;
  returned.tool = call.tool;
  returned.failure = "denied";
  returned.text = clipped(why, kMaxReason);
  returned.at_us = at_us;
  findings.tool(std::move(call));
  findings.tool_return(std::move(returned));
}

// ---- ends and errors ----

/// "Reconnecting... 2/5 (why)": the run continues.
bool find_retry(std::string_view text, LineFindings& findings) {
  if (!text.starts_with(kReconnecting)) return false;
  schema::AgentRetriedT retried;
  const char* const last = text.data() + text.size();
  const auto count = std::from_chars(text.data() + kReconnecting.size(), last, retried.retry);
  if (count.ec == std::errc{} && count.ptr != last && *count.ptr == '/') {
    std::from_chars(count.ptr + 1, last, retried.max_retries);
  }
  retried.api_status = status_after(text, kStatus);
  retried.text = clipped(text, kMaxReason);
  findings.report(std::move(retried));
  return true;
}

void find_usage(JsonValue tokens, LineFindings& findings) {
  if (!tokens.is_object()) return;
  schema::UsageReportedT usage;
  usage.scope = schema::UsageScope::session_total;
  usage.cost_scope = schema::UsageScope::session_total;
  usage.input_tokens = tokens["input_tokens"].count();
  usage.output_tokens = tokens["output_tokens"].count();
  usage.cache_read_tokens = tokens["cached_input_tokens"].count();
  usage.cache_write_tokens = tokens["cache_write_input_tokens"].count();
  usage.reasoning_tokens = tokens["reasoning_output_tokens"].count();
  findings.usage(std::move(usage));
}

void find_limit(std::string_view error, LineFindings& findings) {
  if (says_usage_limit(error)) findings.usage_limit(error);
}

void find_end(JsonValue line, std::string_view error, LineFindings& findings) {
  using schema::AgentOutcome;
  const AgentOutcome outcome = line["type"].is("turn.completed") ? AgentOutcome::completed
                               : says_usage_limit(error)         ? AgentOutcome::usage_limit
                                                                 : AgentOutcome::failed;
  findings.conclude(outcome, line["type"].text(), error);
}

void find_in_item(JsonValue line, LineFindings& findings) {
  const JsonValue item = line["item"];
  const std::string_view type = item["type"].text();
  const bool completed = line["type"].is("item.completed");
  if (item["id"].text().empty()) return;
  if (type == "todo_list") {
    find_todos(item, findings);
  } else if (type == "error") {
    const std::string_view error = item["message"].text();
    if (completed) findings.error("item.error", {}, status_after(error, kStatus), error);
  } else if (is_call(item)) {
    if (line["type"].is("item.started")) find_call(item, findings);
    if (completed) find_return(item, findings);
  } else if (completed && type == "command_execution") {
    find_return(item, findings);
  }
}

/// The error message in an error line; empty for other lines.
std::string_view error_of(JsonValue line) {
  if (line["type"].is("error")) return line["message"].text();
  if (line["type"].is("turn.failed")) return line["error"]["message"].text();
  return {};
}

class Decoder final : public AgentFormat {
 public:
  std::string_view name() const override { return "codex-json"; }
  /// The types contain a dot (thread.started). Lines of type "error" have neither a session nor a time.
  bool owns(const JsonLine& line) const override;
  void find(const JsonLine& line, LineFindings& findings) const override;
  void find_in_text(std::string_view line, LineFindings& findings) const override {
    find_refused_call(line, findings);
  }
  std::string said(const JsonLine& line) const override;
  void texts(const JsonLine& line, std::string& text) const override;
};

bool Decoder::owns(const JsonLine& line) const {
  const JsonValue object = line.object();
  const std::string_view type = object["type"].text();
  if (type == "error") {
    return object["message"].is_text() && !object["timestamp"].present() && !object["session_id"].present();
  }
  for (const std::string_view prefix : {"thread.", "turn.", "item."}) {
    if (type.starts_with(prefix)) return true;
  }
  return false;
}

void Decoder::find(const JsonLine& line, LineFindings& findings) const {
  const JsonValue object = line.object();
  const std::string_view type = object["type"].text();
  const std::string_view error = error_of(object);
  if (type == "thread.started") {
    findings.session(object["thread_id"]);
  } else if (type.starts_with("item.")) {
    find_in_item(object, findings);
  } else if (type == "turn.completed") {
    find_usage(object["usage"], findings);
    find_end(object, error, findings);
  } else if (type == "error") {
    if (find_retry(error, findings)) return;
    findings.error(type, {}, status_after(error, kStatus), error);
    find_limit(error, findings);
  } else if (type == "turn.failed") {
    // The error had a line of its own, where it was counted.
    find_limit(error, findings);
    find_end(object, error, findings);
  }
}

std::string Decoder::said(const JsonLine& line) const {
  const JsonValue item = line.object()["item"];
  return item["type"].is("agent_message") ? std::string(item["text"].text()) : std::string();
}

void Decoder::texts(const JsonLine& line, std::string& text) const {
  const JsonValue object = line.object();
  append_piece(text, error_of(object));
  const JsonValue item = object["item"];
  if (!object["type"].is("item.completed")) return;
  append_piece(text, item["aggregated_output"].text());
  append_content(text, item["result"]["content"]);
  append_piece(text, item["error"]["message"].text());
  if (item["type"].is("error")) append_piece(text, item["message"].text());
}

}  // namespace

FormatPtr format() {
  return std::make_shared<const Decoder>();
}

}  // namespace luzia::codex
