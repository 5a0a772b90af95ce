#include "tools/luzia/agents/hook/hook_event.h"

#include <sstream>

#include "engine/event/event.h"
#include "engine/ports/agent.h"
#include "tools/luzia/agents/mcp/shown_call.h"

namespace luzia::hook {
namespace {

constexpr std::string_view kUsualName = "PreToolUse", kGeminisName = "BeforeTool";
constexpr std::string_view kUsualNameAfter = "PostToolUse", kGeminisNameAfter = "AfterTool";

bool is_call(const HookEvent& event) {
  return event.name == kUsualName || event.name == kGeminisName;
}

/// The files that a patch of Codex changes.
Json files_of_patch(const std::string& patch) {
  Json files = Json::array();
  std::istringstream lines(patch);
  for (std::string line; std::getline(lines, line);) {
    for (const std::string_view head :
         {"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "}) {
      if (line.starts_with(head)) files.push_back(line.substr(head.size()));
    }
  }
  return files;
}

/// What Claude Code calls the file and the folder of a call. A list of files is no path, so that no rule
/// about paths allows the call, and one that asks or refuses holds it.
void use_usual_names(ToolCall& call) {
  call.tool = usual_tool(call.tool);
  const bool of_file = call.tool == "Write" || call.tool == "Edit" || call.tool == "Read";
  for (const char* name : {"filePath", "absolute_path", "path"}) {
    if (!of_file || call.input.contains("file_path") || text_of(call.input, name).empty()) continue;
    call.input["file_path"] = call.input[name];
    call.input.erase(name);
  }
  const std::string command = text_of(call.input, "command");
  if (call.tool == "Edit" && !call.input.contains("file_path") && !command.empty()) {
    Json files = files_of_patch(command);
    call.input["file_path"] = files.size() == 1 ? files.front() : files;
  }
  if (call.tool != "Bash") return;
  for (const char* name : {"workdir", "dir_path", "directory"}) {
    const std::string folder = text_of(call.input, name);
    if (!folder.empty()) call.cwd = folder.front() == '/' ? folder : call.cwd + "/" + folder;
  }
}

}  // namespace

Result<HookEvent> read_hook_event(std::string_view text) {
  const auto bad = [](const std::string& why) {
    return fail(ErrorKind::usage, "bad_hook_input", "reading a hook's event on standard input: " + why,
                "agents run this command; see luzia init AGENT");
  };
  auto fields = parse_json(text);
  if (!fields) return bad(fields.error().message);
  std::string name = fields->is_object() ? text_of(*fields, "hook_event_name") : std::string();
  if (name.empty()) return bad("there is no hook_event_name");
  return HookEvent{std::move(name), std::move(*fields)};
}

bool may_be_tool_call(std::string_view text) {
  return text.find(kUsualName) != std::string_view::npos || text.find(kGeminisName) != std::string_view::npos;
}

std::optional<ToolCall> tool_call_of(const HookEvent& event) {
  const std::string tool = text_of(event.fields, "tool_name");
  if (!is_call(event) || tool.empty() || tool == "AskUserQuestion" || mcp::is_own_tool(tool)) {
    return std::nullopt;
  }
  const auto input = event.fields.find("tool_input");
  ToolCall call{tool, text_of(event.fields, "tool_use_id"),
                input != event.fields.end() && input->is_object() ? *input : Json::object(),
                text_of(event.fields, "cwd"), text_of(event.fields, "transcript_path")};
  use_usual_names(call);
  return call;
}

bool calls_own_tool(const HookEvent& event) {
  return is_call(event) && mcp::is_own_tool(text_of(event.fields, "tool_name"));
}

std::optional<schema::ReportFactUnion> report_of(const HookEvent& event) {
  constexpr std::size_t kMostText = 4'000;
  const std::string message = text_of(event.fields, "message");
  if (event.name != "Notification" || message.empty()) return std::nullopt;
  schema::WarningReportedT fact;
  fact.warning_type = "NOTIFICATION";
  const std::string title = text_of(event.fields, "title");
  fact.message = shortened((title.empty() ? "" : title + ": ") + message, kMostText);
  return domain_fact(std::move(fact));
}

bool may_defer(const HookEvent& event) {
  return event.name == kUsualName && !text_of(event.fields, "tool_use_id").empty();
}

bool is_after_call(const HookEvent& event) {
  return event.name == kUsualNameAfter || event.name == kGeminisNameAfter;
}

bool takes_long_texts(const HookEvent& event) {
  const auto found = event.fields.find("takes_long_texts");
  return found != event.fields.end() && found->is_boolean() && found->get<bool>();
}

std::string decision_json(const HookEvent& event, std::string_view decision, const std::string& reason,
                          const std::string& told) {
  if (event.name == kGeminisName) return json_line({{"decision", decision}, {"reason", reason}});
  Json said = {{"hookEventName", kUsualName}};
  if (!decision.empty()) {
    said["permissionDecision"] = decision;
    said["permissionDecisionReason"] = reason;
  }
  if (!told.empty()) said["additionalContext"] = told;
  return json_line({{"hookSpecificOutput", said}});
}

std::string told_json(const HookEvent& event, const std::string& told) {
  return json_line({{"hookSpecificOutput", {{"hookEventName", event.name}, {"additionalContext", told}}}});
}

}  // namespace luzia::hook
