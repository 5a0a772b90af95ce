// The events that agents send to hooks on standard input, and the hooks' answers, in the form of Claude Code.
// Others took it over: Codex (0.171), Qwen Code (0.24) and Copilot (1.0.102) entirely, Gemini CLI (0.61) with
// another name for the event and other members in the answer. Pure, any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "protocol.fb.h"
#include "tools/cli/json_text.h"

namespace luzia::hook {

struct HookEvent {
  std::string name;  // PreToolUse, BeforeTool, Notification, ...
  Json fields;       // the whole event, an object
};

/// `bad_hook_input` (usage): not a JSON object, or without an event name.
Result<HookEvent> read_hook_event(std::string_view text);

/// Whether `text`, even if malformed, is about a tool call that has not happened yet. Such a call is stopped
/// if nobody can decide it.
bool may_be_tool_call(std::string_view text);

/// A tool call that is about to happen, with Claude Code's words for tools and the files that they work on.
struct ToolCall {
  std::string tool, call_id;
  Json input;
  std::string cwd = {};         // the agent's current folder; empty: unknown
  std::string transcript = {};  // path of the session's transcript; empty: unknown
};
/// The tool call of the event. Nothing for other events, for tools that ask a person themselves, and for
/// calls without a tool name.
std::optional<ToolCall> tool_call_of(const HookEvent& event);

/// Whether a tool of `luzia mcp` is about to be called. A hook must allow such calls explicitly: Claude Code
/// (2.1.330) ignores the permissions in a project's settings until somebody has accepted its trust dialog,
/// and without a person at the terminal it then denies what no hook allows.
bool calls_own_tool(const HookEvent& event);

/// The report that the event becomes, for people who watch the job; nothing for most events.
std::optional<schema::ReportFactUnion> report_of(const HookEvent& event);

/// Whether a call can be deferred: the event has what identifies the call when the session is resumed. Gemini
/// CLI and Copilot name no call.
bool may_defer(const HookEvent& event);

/// Whether the event comes when a call has ended: then nothing is decided, and the agent may only be told
/// something.
bool is_after_call(const HookEvent& event);
/// Whether the agent passes texts of any length on to its model: our own plugin for opencode does.
bool takes_long_texts(const HookEvent& event);

/// The hook's answer to the event. `decision`: allow, deny, ask or defer; empty: the agent's own rules
/// decide. `told`: what the model is told beside it, not for Gemini CLI's events before a call.
std::string decision_json(const HookEvent& event, std::string_view decision, const std::string& reason,
                          const std::string& told = {});
/// The same for an event after a call.
std::string told_json(const HookEvent& event, const std::string& told);

}  // namespace luzia::hook
