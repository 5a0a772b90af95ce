// What --dry-run prints: the daemon's previews of jobs, one JSON object each. One thread.
#pragma once

#include <string>
#include <vector>

#include "projections/rows/table.h"

namespace luzia {

/// For people: a line per fact, an empty line between jobs. A preview that is no JSON object is printed as
/// it is. Made harmless.
std::string dry_run_text(const std::vector<std::string>& previews, const TableStyle& style);

/// {"dry_run":[one line a job],"jobs":[previews]}
std::string dry_run_json(const std::vector<std::string>& previews);

/// What would keep these jobs from running.
std::vector<std::string> dry_run_problems(const std::vector<std::string>& previews);

}  // namespace luzia
