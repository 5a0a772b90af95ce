// The tool permission_prompt: Claude Code calls it before it uses a tool, and for its own questions to the
// user.
#pragma once

#include "tools/luzia/agents/mcp/tool_calls.h"

namespace luzia::mcp {

/// The result's text is {"behavior":"allow","updatedInput":...} or {"behavior":"deny","message":...}. Errors
/// deny, too: what nobody has allowed is not done.
ToolResult permission_prompt(const Json& arguments, JobDoor& door, const CallWait& wait);

}  // namespace luzia::mcp
