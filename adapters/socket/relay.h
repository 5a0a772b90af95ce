// Passes bytes on between a pair of descriptors and a connection, in both directions. One thread.
#pragma once

#include "engine/base/result.h"

namespace luzia {

/// Passes what arrives at `in` to `connection`, and what arrives there to `out`. Holds at most 64 KiB of each
/// direction: a side that does not read stops the other. The end of `in` is passed on, and the rest of what
/// the connection still answers. Returns when the connection has ended and its last byte is out, or when
/// `out` takes no more. All descriptors become nonblocking, and stay open. `relay_failed` (trouble): reading
/// or writing failed otherwise.
Status relay(int in, int out, int connection);

}  // namespace luzia
