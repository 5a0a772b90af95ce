// What grows on the disk: the log, the rows, and the directories of jobs. One thread; looks at files only.
#pragma once

#include <string>

namespace luzia {

/// "disk use: log 12MiB, rows 3MiB, job directories over 4GiB". "over": a brief look did not see all.
/// Empty: nothing is there, or it cannot be read.
std::string grown_so_far(const std::string& store, const std::string& jobs_root);

}  // namespace luzia
