// issues check: checks the patterns in files of known issues. Needs no daemon. The scanning engine is not
// linked here. It accepts every pattern that the translator accepts, or proves that the pattern, such as
// `a^b`, can never match.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/invocation.h"

namespace luzia {

/// Prints each pattern with its state: ok, translated (written for Python, same meaning in our engine) or
/// refused. Without paths it checks the files of [issues] files. Returns 0, or 2 if something is refused.
Result<int> check_issue_files(Invocation& invocation, std::vector<std::string> paths);

}  // namespace luzia
