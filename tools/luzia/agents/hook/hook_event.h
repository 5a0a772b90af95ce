// What Claude Code tells its hooks on standard input, and what a hook answers. Pure, any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "protocol.fb.h"
#include "tools/cli/json_text.h"

namespace luzia::hook {

struct HookEvent {
  std::string name;  // PreToolUse, Notification, ...
  Json fields;       // an object
};

/// `bad_hook_input` (usage): no JSON object, or without an event's name.
Result<HookEvent> read_hook_event(std::string_view text);

/// Whether `text`, however broken, is about a tool call that has not happened yet: such a one is stopped
/// where nobody can decide about it.
bool may_be_tool_call(std::string_view text);

/// A tool call that is about to happen; nothing for those that ask a person by themselves, and for calls
/// without a tool's name.
struct ToolCall {
  std::string tool, call_id;
  Json input;
  std::string cwd = {};         // the folder that the agent is in; empty: it does not say
  std::string transcript = {};  // the session's file; empty: it does not say
};
std::optional<ToolCall> tool_call_of(const HookEvent& event);

/// Whether a tool of `luzia mcp` is about to be called. Such a call is to be allowed in so many words: Claude
/// Code (2.1.330) ignores the permissions of a project's settings where nobody has accepted its trust dialog,
/// and without a person at the terminal it then denies what no hook allows.
bool calls_own_tool(const HookEvent& event);

/// What the event says that people who watch the job should know; nothing for most.
std::optional<schema::ReportFactUnion> report_of(const HookEvent& event);

/// `decision`: allow, deny, ask or defer.
std::string decision_json(std::string_view decision, const std::string& reason);

}  // namespace luzia::hook
