// What a tool call works on, as the gates over its input see it: a command, files, an address. Pure; any
// thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/config/gate_policy.h"

namespace luzia {

struct Subject {
  std::string text;  // as the call has it
  /// What it means, in each way that a key may say it: of a file its path without detours, and the one below
  /// the job's folder. Of what is no file, and where that cannot be told, the text. Never empty.
  std::vector<std::string> meant;
  bool known = true;  // false: a file of which nobody can tell where it is
};

/// A shell's command, a file, an address. Of a tool that is not known, all that it could be; what is there
/// and no text counts as an empty one. Paths are those of the call's place; links are not followed.
std::vector<Subject> subjects_of(const GateRequest& request);

/// The folder of the agent, where Grep and LS look that name none.
std::optional<Subject> unnamed_folder(const GateRequest& request);

/// Where Grep, Glob and LS look, and below it. Nothing of other tools, and where it cannot be told.
std::optional<Subject> searched_folder(const GateRequest& request);

/// Whether the files that `pattern`, of a key over the tool's input, is about lie in `folder` or below it, by
/// what stands before the pattern's first wildcard; nothing where that cannot be told.
std::optional<bool> begins_in(std::string_view pattern, const std::string& folder, const CallPlace& place);

/// Whether files are all that it works on.
bool is_file_tool(std::string_view tool);

/// Of Bash; empty: none.
std::string command_of(const std::string& tool_input);

}  // namespace luzia
