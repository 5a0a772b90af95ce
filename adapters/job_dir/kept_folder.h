// A folder that nobody else can put another in the place of. A daemon of root follows no link and enters no
// folder that another user could have changed a moment ago: each folder on the way must be root's, and not
// for others to write to. Of a daemon of a user the folder itself is looked at. Any thread; blocks.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "engine/base/result.h"

namespace luzia {

/// An O_PATH descriptor, for the caller to close. `create`: modes of the folder and of those above it where
/// they are missing; none: they are not made. Errors: `unsafe_jobs_root` (refused) names the folder that
/// others could replace; `no_folder` (not found); `job_dir_failed`, `out_of_resources` (job_dir.h).
struct MissingFolders {
  mode_t itself, above;
};
Result<int> open_kept_folder(const std::string& path, std::optional<MissingFolders> create = std::nullopt);

/// A failed system call on `path`, as one of the errors above.
tl::unexpected<Error> folder_error(int error, const char* doing, const std::string& path);

}  // namespace luzia
