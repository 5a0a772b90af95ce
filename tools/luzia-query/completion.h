// Words for the shells' completion scripts (luzia completion), which ask `luzia-query __complete -- WORDS`.
#pragma once

#include <string>
#include <vector>

#include "tools/luzia-query/source.h"

namespace luzia {

/// What may stand in the place of the last word: a line per candidate, "word<TAB>help", or ":file" or
/// ":directory" alone. Ids of jobs come from the daemon at `place`, if one answers; names of projects and
/// agents from the configuration.
std::string completions(const std::vector<std::string>& words, const SourceOptions& place);

}  // namespace luzia
