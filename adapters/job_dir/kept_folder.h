// Opens a folder that no other user can replace. A daemon of root follows no link and enters no folder that
// another user can change: each folder on the path must be root's, and not writable by others. A daemon of
// another user checks only the folder itself. Any thread; blocks.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "engine/base/descriptor.h"
#include "engine/base/result.h"

namespace luzia {

/// Returns an O_PATH descriptor. `create`: modes for the folder and those above it if
/// they are missing; unset: none is created. Errors: `unsafe_jobs_root` (refused) names the folder that
/// others could replace; `no_folder` (not found); `job_dir_failed`, `out_of_resources` (job_dir.h).
struct MissingFolders {
  mode_t itself, above;
};
Result<Descriptor> open_kept_folder(const std::string& path,
                                    std::optional<MissingFolders> create = std::nullopt);

/// Converts a failed system call on `path` to one of the errors above.
tl::unexpected<Error> folder_error(int error, const char* doing, const std::string& path);

}  // namespace luzia
