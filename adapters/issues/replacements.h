// Resolves which patterns silence which others (instead_of in a pattern file). Pure, any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "adapters/issues/issue_pattern.h"

namespace luzia {

/// For each pattern, the indexes in ascending order of the patterns that it silences on lines that it
/// matches. Ignores names that no pattern has. A pattern never silences one by which it is silenced itself,
/// directly or through others: in a circle of names, all report. A shipped pattern never silences a user's,
/// which may have a shipped one's name but mean something else.
std::vector<std::vector<std::size_t>> replacements(const std::vector<IssuePattern>& patterns);

}  // namespace luzia
