// dispatch --fg: the job runs as always; this process only stays with it.
#pragma once

#include <string>

#include "tools/luzia/asking.h"

namespace luzia {

/// Streams the output until the job has ended. The first Ctrl-C on a terminal asks whether to detach or
/// cancel, elsewhere it cancels; the second cancels. Returns the job's own exit code, 0 after detaching.
/// With --json the output goes to stderr and the job's object to stdout.
Result<int> run_in_foreground(Invocation& invocation, Client& client, const std::string& job);

}  // namespace luzia
