// An agent's tool call as a person gets to see it, and how a person decided. Pure, any thread.
#pragma once

#include <string>

#include "protocol.fb.h"
#include "tools/cli/json_text.h"
#include "view.fb.h"

namespace luzia::mcp {

/// Valid JSON of at most `most` bytes; what is too long is cut within it.
std::string shown_input(const Json& input, std::size_t most);

/// In a few words: the command of Bash, the file of Write. Without NULs.
std::string described_call(const std::string& tool, const Json& input);

/// The tools that ask a person by themselves where that is needed: Luzia's own, under the names that Claude
/// Code gives them.
bool is_own_tool(const std::string& tool);

/// What a person is asked about a call: gate, tool, input and description.
wire::RequestApprovalT approval_of_call(const std::string& tool, const Json& input,
                                        const std::string& call_id);

/// "approved by ana: go on", "denied: nobody decided in time". Always begins with one of the two words.
std::string decision_words(const view::ApprovalT& approval);

}  // namespace luzia::mcp
