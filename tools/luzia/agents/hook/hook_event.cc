#include "tools/luzia/agents/hook/hook_event.h"

#include "tools/luzia/agents/mcp/shown_call.h"

namespace luzia::hook {

Result<HookEvent> read_hook_event(std::string_view text) {
  const auto bad = [](const std::string& why) {
    return fail(ErrorKind::usage, "bad_hook_input", "reading a hook's event on standard input: " + why,
                "Claude Code runs this command; see luzia init claude");
  };
  auto fields = parse_json(text);
  if (!fields) {
    return bad(fields.error().message);
  }
  std::string name = fields->is_object() ? text_of(*fields, "hook_event_name") : std::string();
  if (name.empty()) {
    return bad("there is no hook_event_name");
  }
  return HookEvent{std::move(name), std::move(*fields)};
}

bool may_be_tool_call(std::string_view text) {
  return text.find("PreToolUse") != std::string_view::npos;
}

std::optional<ToolCall> tool_call_of(const HookEvent& event) {
  const std::string tool = text_of(event.fields, "tool_name");
  if (event.name != "PreToolUse" || tool.empty() || tool == "AskUserQuestion" || mcp::is_own_tool(tool)) {
    return std::nullopt;
  }
  const auto input = event.fields.find("tool_input");
  return ToolCall{tool, text_of(event.fields, "tool_use_id"),
                  input != event.fields.end() && input->is_object() ? *input : Json::object(),
                  text_of(event.fields, "cwd"), text_of(event.fields, "transcript_path")};
}

bool calls_own_tool(const HookEvent& event) {
  return event.name == "PreToolUse" && mcp::is_own_tool(text_of(event.fields, "tool_name"));
}

std::optional<schema::ReportFactUnion> report_of(const HookEvent& event) {
  constexpr std::size_t kMostText = 4'000;
  const std::string message = text_of(event.fields, "message");
  if (event.name != "Notification" || message.empty()) {
    return std::nullopt;
  }
  schema::WarningReportedT fact;
  fact.warning_type = "NOTIFICATION";
  const std::string title = text_of(event.fields, "title");
  fact.message = shortened((title.empty() ? "" : title + ": ") + message, kMostText);
  schema::ReportFactUnion report;
  report.Set(std::move(fact));
  return report;
}

std::string decision_json(std::string_view decision, const std::string& reason) {
  return json_line({{"hookSpecificOutput",
                     {{"hookEventName", "PreToolUse"},
                      {"permissionDecision", decision},
                      {"permissionDecisionReason", reason}}}});
}

}  // namespace luzia::hook
