// Waits for jobs and shows their state in a line on standard error, for a person at a terminal. One thread.
#pragma once

#include <optional>

#include "tools/luzia/look/standstill.h"
#include "tools/luzia/look/waiting.h"

namespace luzia {

/// The result of a wait: the rows, or the signal that ended it.
struct WaitAnswer {
  std::optional<Page> page;
  int signal = 0;
};

/// Whether to show the line: stderr is a terminal, neither --quiet nor --json, and verbosity is not quiet.
bool shows_waits(Invocation& invocation);

/// Waits for jobs, which must be named by their full ids. If the daemon goes away, asks the next one;
/// `client` is then the new connection. Clears the line before it returns. While jobs are queued, says what
/// keeps them from starting.
Result<WaitAnswer> wait_showing(Invocation& invocation, Client& client, const TimedWait& wait,
                                Standstill& standstill);

}  // namespace luzia
