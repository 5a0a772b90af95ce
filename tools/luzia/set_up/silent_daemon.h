// The daemon as the kernel knows it: what is left when it does not answer.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "engine/base/result.h"
#include "tools/cli/invocation.h"

namespace luzia {

/// The luziad that has the store: the process that is named in STORE/lock while that is locked.
std::optional<pid_t> daemon_of(const std::string& store);
/// "stopped", "traced", "disk" (an uninterruptible wait), "running" or "sleeping"; empty: no luziad of that
/// pid.
std::string process_state(pid_t pid);

/// Ends the daemon of the store by signals: SIGTERM, and SIGCONT where it is stopped; after --patience (5 s
/// at least) SIGKILL if `force`. Running jobs go on. `daemon_slow` (trouble) when it is still there, `why`
/// when none can be found.
Status end_silent_daemon(const Invocation& invocation, const std::string& store, bool force,
                         const Error& why);

}  // namespace luzia
