// Limits of a process (setrlimit), as a shell (ulimit) or a service manager hands them on. A daemon outlives
// the shell that happened to start it: it raises its own as far as it may, its jobs get them as they were
// given. (Descriptors are not here: each program that needs many raises its own.)
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "engine/base/result.h"

namespace luzia {

/// Raises what would end or cripple this process: CPU time, size of files, memory, stacks, processes. Soft to
/// hard limits; root raises the hard ones of the first three too. Returns what was changed, as it was given:
/// "RESOURCE:SOFT:HARD,..." in numbers of setrlimit, empty: nothing. Before the first thread.
std::string raise_limits();

enum class Bound { soft, hard };

/// Why a daemon does not work under a limit of process `pid` (0: this one), by its soft limits as they are or
/// by the hard ones that they can be raised to: `limits_too_low` (trouble). nullopt: it does, or it cannot be
/// told.
std::optional<Error> too_low_limit(pid_t pid, Bound bound);

}  // namespace luzia
