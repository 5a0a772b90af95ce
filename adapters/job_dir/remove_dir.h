// Removing a job's directory, whatever its agent has put into it: links, mounts, names of any bytes, nests
// deeper than a path can name, folders that nobody may enter. Nothing is followed, and no mount is entered.
//
// The directory is first moved, beside where it stood, into `.removing-<id>`, a folder of ours that nobody
// else can reach into. From there folders are emptied one by one; what lies in them is moved up beside them.
// So two descriptors are enough for any depth, and what was begun is found again after a crash. (Rejected:
// std::filesystem::remove_all, which keeps one descriptor for each level and enters mounts.)
//
// One thread; waits for the disk.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

#include "engine/base/result.h"

namespace luzia {

/// Done when nothing of it is left; again after a failure or a crash goes on where it stopped. No directory:
/// nothing to do. Errors as in job_dir.h, with the first thing that cannot go; everything else is gone all
/// the same. `cancelled` (trouble) soon after a stop.
Status remove_job_dir(const std::string& path, const std::stop_token& stop = {});

/// What removing it would free, as far as a short look tells.
struct DirSize {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  bool whole = true;  // false: there is more than was looked at
};
DirSize measure_job_dir(const std::string& path);

}  // namespace luzia
