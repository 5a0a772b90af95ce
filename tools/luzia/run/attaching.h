// Joins the terminal of a running job: its own, or its tmux session. One thread.
#pragma once

#include <string>

#include "adapters/terminal/attached_terminal.h"

namespace luzia {

/// How to detach, for the message before joining.
constexpr const char* kHowToLeave = "Ctrl-\\ d detaches";
constexpr const char* kHowToLeaveSession = "Ctrl-b d detaches";

/// Joins the job's tmux session; `no_terminal`: there is no session (yet). Root joins another user's session
/// without tmux, with the keys of attach_terminal().
Result<Attachment> join_session(const std::string& job_dir, bool read_only);

const char* how_to_leave_session(const std::string& job_dir);

/// Whether the error means that the terminal does not exist yet, or no longer.
bool is_absent(const Error& error);

}  // namespace luzia
