// issues check: what becomes of each pattern of files of known issues. Needs no daemon. The engine that scans
// is not linked here: what the translator takes, it takes too, or (`a^b`) proves that it can never match.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/invocation.h"

namespace luzia {

/// Prints each pattern with its state: ok, translated (written for Python, the same meaning for the engines
/// here), refused. Without paths, those of [issues] files. 0, or 2 where something is refused.
Result<int> check_issue_files(Invocation& invocation, std::vector<std::string> paths);

}  // namespace luzia
