// Joining the terminal of a job that runs: its own, or its session in the multiplexer. One thread.
#pragma once

#include <string>

#include "adapters/terminal/attached_terminal.h"

namespace luzia {

/// How to leave, for the line said before.
constexpr const char* kHowToLeave = "Ctrl-\\ d detaches";
constexpr const char* kHowToLeaveSession = "Ctrl-b d detaches";

/// Stays until the agent has ended or the person leaves. Errors: `no_terminal`, `terminal_gone`,
/// `terminal_refused`.
Result<Attachment> join_terminal(const std::string& job_dir, Role role);
/// The same in tmux; `no_terminal` where there is no session (yet). Root joins another user's without tmux,
/// with the keys of join_terminal().
Result<Attachment> join_session(const std::string& job_dir, bool read_only);

const char* how_to_leave_session(const std::string& job_dir);

/// Not there yet, or not there any more.
bool is_absent(const Error& error);

}  // namespace luzia
