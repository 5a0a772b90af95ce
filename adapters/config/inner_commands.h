// Finds the commands behind programs that run another one: `sudo -n rm x` runs `rm x`. For rules that ask or
// refuse: what it finds beyond the truth can only make a ruling stricter, so it looks at every reading of an
// option that it does not know. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace luzia {

struct InnerCommands {
  /// Each as written and, where that differs, in plain form: without quotes and the program's folder. The
  /// first one may be the plain form of the command itself; the command as written is not among them.
  std::vector<std::string> texts;
  bool complete = true;  // false: it has too many to list
};

/// `part`: one simple command, or a whole line of them.
InnerCommands inner_commands(std::string_view part);

}  // namespace luzia
