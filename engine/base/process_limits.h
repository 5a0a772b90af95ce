// Limits of this process (setrlimit), as inherited from a shell (ulimit) or a service manager. A daemon
// outlives the shell that happened to start it, so it raises its own limits as far as it may. Its jobs get
// the original limits back. Not here: open files, because each program that needs many raises its own limit.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "engine/base/result.h"

namespace luzia {

/// Raises the limits that would end or cripple this process: CPU time, file size, memory, stacks, processes.
/// Raises soft to hard limits; root also raises the hard limits of the first three. Returns the original
/// values of what it changed as "RESOURCE:SOFT:HARD,..." in setrlimit's numbers; empty: nothing changed. Call
/// before the first thread starts.
std::string raise_limits();

enum class Bound { soft, hard };

/// Why a daemon does not work under the limits of process `pid` (0: this process): `limits_too_low`
/// (trouble). `bound`: checks the soft limits as they are, or the hard limits up to which they can be raised.
/// nullopt: the limits are high enough or cannot be read.
std::optional<Error> too_low_limit(pid_t pid, Bound bound);

}  // namespace luzia
