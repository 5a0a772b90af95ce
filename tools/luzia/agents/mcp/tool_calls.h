// What each tool does with its arguments, which have been checked. Waiting tools may run on any thread, the
// others on the one that JobDoor names.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/json_text.h"
#include "tools/luzia/agents/mcp/job_door.h"
#include "tools/luzia/agents/mcp/tools.h"

namespace luzia::mcp {

struct ToolResult {
  std::string text;
  bool is_error = false;  // for the model to see, not a failure of the protocol
  /// To be confirmed once the result has been written: the answers that the text carries.
  struct Answer {
    std::string job, id;
  };
  std::vector<Answer> answers = {};
};

ToolResult run_tool(ToolKind kind, const Json& arguments, JobDoor& door, const CallWait& wait);

}  // namespace luzia::mcp
