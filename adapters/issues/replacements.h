// Which patterns are told in place of which (instead_of of a pattern file). Pure, any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "adapters/issues/issue_pattern.h"

namespace luzia {

/// For each of `patterns` the indexes, in order, of those that tell nothing of a line that it finds. Names
/// that no pattern has are left alone. Nobody replaces a pattern that it is replaced by, be it through
/// others: where names go round in a circle, all of them tell. What ships never replaces a pattern of the
/// user's, which may have a shipped one's name and say something else.
std::vector<std::vector<std::size_t>> replacements(const std::vector<IssuePattern>& patterns);

}  // namespace luzia
