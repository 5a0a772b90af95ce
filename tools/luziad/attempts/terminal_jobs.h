// Jobs with a terminal of their own: which command they run there, and the program that holds the terminal.
// Any thread; looks at the file system.
#pragma once

#include <string>
#include <vector>

#include "adapters/config/config.h"
#include "protocol.fb.h"

namespace luzia {

/// Fills the terminal and the command of a job that asks for one: the profile's `interactive`, else its
/// `command` where that takes the task as an argument. Without a task (sessions only) `{task}` and an option
/// before it are left out. Errors, all about what was asked for: `no_interactive_command`, `no_tmux`.
Status give_terminal(schema::JobSpecT& spec, const AgentProfile& profile, const wire::DispatchJobT& request);

/// `argv` as the program that holds the terminal runs it; without a terminal as it is. When luzia is not
/// installed beside luziad, the name alone: the attempt then fails and says so.
std::vector<std::string> in_terminal(const schema::JobSpecT& spec, std::vector<std::string> argv);

}  // namespace luzia
