// Which patterns are in force for a project, as the matcher of its output. Any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/issues/compiled_patterns.h"
#include "engine/ports/issue_matcher.h"

namespace luzia {

/// The patterns of all files by name and project: later files replace patterns of earlier ones, which is
/// added to `replaced` as a sentence.
std::vector<IssuePattern> merged_patterns(const std::vector<PatternFile>& files,
                                          std::vector<std::string>& replaced);

/// The project's own patterns, and the general ones whose names they do not override; null: there are none.
/// Empty `project`: the general ones. `patterns` are sorted as merged_patterns() returns them.
std::shared_ptr<const IssueMatcher> project_matcher(const std::shared_ptr<const CompiledPatterns>& patterns,
                                                    std::string_view project);

}  // namespace luzia
