// Inspects and ends a daemon that does not answer, through /proc and signals. One thread.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "engine/base/result.h"
#include "tools/cli/invocation.h"

namespace luzia {

/// The pid of the luziad that uses the store: the pid in STORE/lock, if that file is locked.
std::optional<pid_t> daemon_of(const std::string& store);
/// "stopped", "traced", "disk" (an uninterruptible wait), "running" or "sleeping"; empty: the pid is not a
/// luziad.
std::string process_state(pid_t pid);

/// Ends the store's daemon by signals: SIGTERM, plus SIGCONT if it is stopped; with `force` SIGKILL after
/// --patience (at least 5 s). Running jobs continue. Errors: `daemon_slow` (trouble): it is still running;
/// `why`: no daemon process was found.
Status end_silent_daemon(const Invocation& invocation, const std::string& store, bool force,
                         const Error& why);

}  // namespace luzia
