// Jobs with their own terminal: the command that runs there, and the program that holds the terminal. Any
// thread; reads the file system.
#pragma once

#include <string>
#include <vector>

#include "adapters/config/config.h"
#include "protocol.fb.h"

namespace luzia {

/// Sets terminal and command of a job that requests a terminal: the profile's `interactive`, else its
/// `command` if that takes the task as an argument. Without a task (sessions only), drops `{task}` and an
/// option before it. Errors, all about the request: `no_interactive_command`, `no_tmux`.
Status give_terminal(schema::JobSpecT& spec, const AgentProfile& profile, const wire::DispatchJobT& request);

/// How the session of a job of `agent` is opened in a terminal: the profile's `interactive` without a task,
/// with what resumes a session of its program. The command is empty if the agent is no longer configured, its
/// program is unknown, or a shell starts it.
schema::TerminalRunT session_at_terminal(const Config& config, const std::string& agent,
                                         const wire::AttachJobT& request);

/// Wraps `argv` in the program that holds the terminal; without a terminal returns it unchanged. If luzia is
/// not installed beside luziad, uses its name alone; then the attempt fails and reports that.
std::vector<std::string> in_terminal(const schema::JobSpecT& spec, std::vector<std::string> argv);

}  // namespace luzia
