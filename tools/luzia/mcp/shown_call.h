// An agent's tool call as a person gets to see it, and how a person decided. Pure, any thread.
#pragma once

#include <string>

#include "tools/luzia/json_text.h"
#include "view.fb.h"

namespace luzia::mcp {

/// Valid JSON of at most `most` bytes; what is too long is cut within it.
std::string shown_input(const Json& input, std::size_t most);

/// In a few words: the command of Bash, the file of Write.
std::string described_call(const std::string& tool, const Json& input);

/// "approved by ana: go on", "denied: nobody decided in time". Always begins with one of the two words.
std::string decision_words(const view::ApprovalT& approval);

}  // namespace luzia::mcp
