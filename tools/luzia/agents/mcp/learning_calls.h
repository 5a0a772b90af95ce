// The MCP tools about solutions, facts, flows and the project's tools. Called on the thread of quick calls
// (see JobDoor).
#pragma once

#include "tools/luzia/agents/mcp/tool_calls.h"

namespace luzia::mcp {

/// `arguments` must have been checked. A mistake if `kind` is another tool.
ToolResult run_learning_tool(ToolKind kind, const Json& arguments, JobDoor& door);

}  // namespace luzia::mcp
