// The MCP tools about solutions, facts, flows and the project's tools. Called on the thread of quick calls
// (see JobDoor).
#pragma once

#include "tools/luzia/agents/mcp/tool_calls.h"

namespace luzia::mcp {

/// `arguments` must have been checked. Returns nothing if `kind` is another tool.
std::optional<ToolResult> run_learning_tool(ToolKind kind, const Json& arguments, JobDoor& door);

}  // namespace luzia::mcp
