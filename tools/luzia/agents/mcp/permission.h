// permission_prompt: what Claude Code asks before a tool may be used, and its own questions to the user.
#pragma once

#include "tools/luzia/agents/mcp/tool_calls.h"

namespace luzia::mcp {

/// The text is {"behavior":"allow","updatedInput":...} or {"behavior":"deny","message":...}, the latter also
/// for all that goes wrong: what nobody has allowed is not done.
ToolResult permission_prompt(const Json& arguments, JobDoor& door, const CallWait& wait);

}  // namespace luzia::mcp
