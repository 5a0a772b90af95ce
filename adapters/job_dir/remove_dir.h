// Removes a job's directory, whatever its agent left in it: links, mounts, names of arbitrary bytes, trees
// deeper than a path can name, folders without permissions. It follows no link and enters no mount.
//
// It first moves the directory beside its old place into `.removing-<id>`, a folder of ours that nobody else
// can reach into. There it empties one folder at a time and moves subfolders up beside it. So two descriptors
// are enough for any depth, and a removal interrupted by a crash is found again. (Rejected:
// std::filesystem::remove_all, which keeps one descriptor per level and enters mounts.)
//
// One thread; waits for the disk.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

#include "engine/base/result.h"

namespace luzia {

/// Succeeds when nothing is left. After a failure or a crash, call it again to continue. Succeeds if there is
/// no directory. Errors: see job_dir.h, for the first entry that cannot be removed; all others are removed
/// all the same. `cancelled` (trouble) soon after a stop request.
Status remove_job_dir(const std::string& path, const std::stop_token& stop = {});

/// What removal would free, as far as a brief scan can tell.
struct DirSize {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  bool whole = true;  // false: there is more than was scanned
};
DirSize measure_job_dir(const std::string& path);

}  // namespace luzia
