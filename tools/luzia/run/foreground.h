// dispatch --fg: the job runs as always; this process only stays with it.
#pragma once

#include <string>

#include "tools/luzia/asking.h"

namespace luzia {

/// Where the person sits: before the output as it comes, at the job's own terminal, or in its session.
enum class Seat { output, terminal, session };

/// Streams the output until the job has ended. The first Ctrl-C on a terminal asks whether to detach or
/// cancel, elsewhere it cancels; the second cancels. A cancel goes to the next daemon too, until one has
/// answered. Returns the job's own exit code (exit_code_of()), 0 after detaching.
/// With --json the output goes to stderr and the job's object to stdout.
///
/// At the job's terminal all keys are the agent's; Ctrl-\\ d detaches. Where it is over before it could be
/// joined, its output is shown as without one.
Result<int> run_in_foreground(Invocation& invocation, Client& client, const std::string& job, Seat seat);

}  // namespace luzia
