// A wait with a line on standard error that tells how it goes, for a person at a terminal. One thread.
#pragma once

#include <optional>

#include "tools/luzia/look/waiting.h"

namespace luzia {

/// What a wait comes to: the rows, or the signal that ended it before they came.
struct WaitAnswer {
  std::optional<Page> page;
  int signal = 0;
};

/// Whether somebody wants to see it: a terminal on stderr, neither --quiet nor --json, verbosity not quiet.
bool shows_waits(Invocation& invocation);

/// The answer to a wait for jobs named in full. When the daemon goes away the next one is asked: `client` is
/// then another connection. The line is gone when it returns.
Result<WaitAnswer> wait_showing(Invocation& invocation, Client& client, const TimedWait& wait);

}  // namespace luzia
