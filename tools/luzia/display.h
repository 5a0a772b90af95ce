// What [display] and the terminal on stderr allow beyond the style of stdout (terminal.h).
#pragma once

#include "tools/luzia/invocation.h"

namespace luzia {

/// Whether a line on stderr may rewrite itself: a terminal, and TERM names one that can.
bool stderr_draws();

/// [display] compact_format, where stdout is a terminal: what scripts read stays as it is.
bool is_compact(Invocation& invocation);

}  // namespace luzia
