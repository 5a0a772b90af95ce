// What bare `luzia` shows: what waits for a person, runs, or has failed. It starts no daemon, fails for no
// reason and waits at most kFirstLookPatience. One thread.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "projections/rows/attention.h"
#include "tools/cli/invocation.h"

namespace luzia {

inline constexpr std::chrono::milliseconds kFirstLookPatience{300};

/// A few lines about an overview, each ended by a line break: `groups` and what stands beside them. Without
/// any job: what to type first. Pure.
std::string first_look_text(const std::vector<AttentionGroup>& groups, const StatusNotes& notes, TimeUs now,
                            const TableStyle& style);

}  // namespace luzia
