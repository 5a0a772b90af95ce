// A wait with a line on standard error that tells how it goes, for a person at a terminal. One thread.
#pragma once

#include "tools/luzia/asking.h"

namespace luzia {

/// Whether somebody wants to see it: a terminal on stderr, neither --quiet nor --json, verbosity not quiet.
bool shows_waits(Invocation& invocation);

/// The answer to a wait for jobs named in full. When the daemon goes away the next one is asked: `client` is
/// then another connection. The line is gone when it returns.
Result<Page> wait_showing(Invocation& invocation, Client& client, const wire::WaitT& wait);

}  // namespace luzia
