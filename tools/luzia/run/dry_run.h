// The output of --dry-run, made from the daemon's previews of jobs, one JSON object each. One thread.
#pragma once

#include <string>
#include <vector>

#include "projections/rows/table.h"

namespace luzia {

/// Text for people: a line per fact, an empty line between jobs. A preview that is not a JSON object is
/// printed unchanged. Made harmless.
std::string dry_run_text(const std::vector<std::string>& previews, const TableStyle& style);

/// {"dry_run":[one line per job],"jobs":[previews]}
std::string dry_run_json(const std::vector<std::string>& previews);

/// The problems that would prevent these jobs from running, without duplicates.
std::vector<std::string> dry_run_problems(const std::vector<std::string>& previews);

}  // namespace luzia
