// Extracts what a tool call works on (a command, files, a URL) in the form that gates match. Pure; any
// thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/config/gate_policy.h"

namespace luzia {

struct Subject {
  std::string text;  // as in the call
  /// Equivalent texts that a key may match. For a file: its normalized absolute path, and the path relative
  /// to the job's folder if it is inside. Otherwise, or if the path cannot be resolved, the text itself.
  /// Never empty.
  std::vector<std::string> meant;
  bool known = true;  // false: a file whose path cannot be resolved
};

/// Returns a shell command, file or URL. For an unknown tool, returns every member that could be one; a
/// member that is not a string counts as an empty text. Relative paths start at the call's place; links are
/// not followed.
std::vector<Subject> subjects_of(const GateRequest& request);

/// The agent's current folder, if the call is a Grep or LS that names no folder.
std::optional<Subject> unnamed_folder(const GateRequest& request);

/// The folder at and below which Grep, Glob or LS searches. nullopt for other tools, or if it cannot be
/// resolved.
std::optional<Subject> searched_folder(const GateRequest& request);

/// Whether the files that `pattern` of a key covers lie in `folder` or below it, judged by the part before
/// the pattern's first wildcard. nullopt if that cannot be resolved.
std::optional<bool> begins_in(std::string_view pattern, const std::string& folder, const CallPlace& place);

/// Whether the tool works on files only.
bool is_file_tool(std::string_view tool);

/// The command of a Bash call; empty: none.
std::string command_of(const std::string& tool_input);

}  // namespace luzia
