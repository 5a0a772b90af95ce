// Runs the MCP tools with checked arguments. Tools that wait for a person may run on any thread, the others
// only on the thread that JobDoor describes.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/json_text.h"
#include "tools/luzia/agents/mcp/job_door.h"
#include "tools/luzia/agents/mcp/tools.h"

namespace luzia::mcp {

struct ToolResult {
  std::string text;
  bool is_error = false;  // an error for the model to see, not a protocol error
  /// An answer that the text contains; its delivery is confirmed once the result has been written.
  struct Answer {
    std::string job, id;
  };
  std::vector<Answer> answers = {};
  ToldWords told = {};  // what people say to the agent beside the result; confirmed in the same way
};

/// An error for the model to see.
ToolResult mistake(std::string text);
ToolResult mistake(const Error& error);
/// The JSON, or the error.
ToolResult shown(const Result<std::string>& json);

ToolResult run_tool(ToolKind kind, const Json& arguments, JobDoor& door, const CallWait& wait);

}  // namespace luzia::mcp
