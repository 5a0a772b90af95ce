// The outputs that a job's attempts left in its directory, and their end. Makes system calls that block:
// worker threads.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace luzia {

/// A file with output: output.log, attempt-1/output.log, ...
struct OutputFile {
  std::string folder;  // "attempt-1"; empty: the directory itself
  dev_t device = 0;
  ino_t inode = 0;
  std::uint64_t bytes = 0;
};

/// The regular files of `uid` that still hold output, of a job with so many attempts. Empty also if the
/// directory cannot be opened.
std::vector<OutputFile> outputs_of(const std::string& job_dir, std::uint32_t uid, std::uint32_t attempts);

/// Replaces the content by one line that says so: "[output expired: RULE]"; a shorter output by nothing,
/// because readers read no further than it went. It does that to the file that outputs_of() found, whatever
/// has its name now, so an attempt that began meanwhile keeps its own. Success if another file has the name.
/// Error `job_dir_failed`.
Status expire_output(const std::string& job_dir, std::uint32_t uid, const OutputFile& file,
                     std::string_view rule);

}  // namespace luzia
