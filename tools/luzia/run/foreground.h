// dispatch --fg: the job runs under the daemon as usual, and this process shows it. One thread.
#pragma once

#include <cstdint>
#include <string>

#include "tools/luzia/asking.h"

namespace luzia {

/// How the person takes part: sees the output as it arrives, uses the job's terminal, or its tmux session.
enum class Seat { output, terminal, session };

/// Streams the output until the job has ended or waits for an answer. Returns the job's own exit code
/// (exit_code_of()), or 0 after detaching.
/// - The first Ctrl-C asks on a terminal whether to detach or cancel; elsewhere it cancels. The second one
///   cancels. The cancellation is sent to the next daemon, too, until one has answered.
/// - With --json the output goes to stderr and the job's object to stdout.
/// - At the job's terminal the agent gets all keys; Ctrl-\\ d detaches. If the terminal ends before it was
///   joined, the output is shown as without a terminal.
/// - Attempts up to `after_attempt` are not shown.
Result<int> run_in_foreground(Invocation& invocation, Client& client, const std::string& job, Seat seat,
                              std::uint32_t after_attempt = 0);

}  // namespace luzia
