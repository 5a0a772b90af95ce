// The tools about what was learned, about flows, and about what other tools there are. On the thread of quick
// calls (see JobDoor).
#pragma once

#include "tools/luzia/agents/mcp/tool_calls.h"

namespace luzia::mcp {

/// Arguments have been checked. Kinds that are none of these: nothing.
std::optional<ToolResult> run_learning_tool(ToolKind kind, const Json& arguments, JobDoor& door);

}  // namespace luzia::mcp
