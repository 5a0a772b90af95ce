// What a tool call works on, as the gates over its input see it: a command, files, an address. Pure; any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace luzia {

/// A shell's command, a file, an address. Of a tool that is not known, all that it could be; what is there
/// and no text counts as an empty one.
std::vector<std::string> subjects_of(std::string_view tool, const std::string& tool_input);

/// Whether files are all that it works on.
bool is_file_tool(std::string_view tool);

/// Of Bash; empty: none.
std::string command_of(const std::string& tool_input);

}  // namespace luzia
