// Text for people about an agent's tool call, and for the agent about their decision. Pure, any thread.
#pragma once

#include <string>

#include "protocol.fb.h"
#include "tools/cli/json_text.h"
#include "view.fb.h"

namespace luzia::mcp {

/// The input as valid JSON of at most `most` bytes; texts and lists in it are cut if necessary.
std::string shown_input(const Json& input, std::size_t most);

/// The call in a few words: the command of Bash, the file of Write. Without NULs.
std::string described_call(const std::string& tool, const Json& input);

/// Whether it is one of Luzia's own tools, under the name that an agent gives it. They ask a person
/// themselves if necessary.
bool is_own_tool(const std::string& tool);

/// The approval request for a call: gate, tool, input and description.
wire::RequestApprovalT approval_of_call(const std::string& tool, const Json& input,
                                        const std::string& call_id);

/// "approved by ana: go on", "denied: nobody decided in time". Always begins with "approved" or "denied".
std::string decision_words(const view::ApprovalT& approval);

}  // namespace luzia::mcp
