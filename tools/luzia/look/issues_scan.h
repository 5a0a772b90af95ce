// issues scan: looks for known problems in any text, as the daemon does in the output of jobs. Needs no
// daemon and records nothing.
#pragma once

#include <string>

#include "tools/cli/invocation.h"

namespace luzia {

/// Prints each problem once, in the order of the text, with its first line, how often it came and its
/// suggested fix. `path` "-": standard input. With --project the project's own patterns apply too. Returns 0;
/// errors: `unreadable` (usage), those of the configuration, `cannot_filter`.
Result<int> scan_text(Invocation& invocation, const std::string& path);

}  // namespace luzia
