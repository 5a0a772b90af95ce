// Finds the files of a work tree that differ from the committed ones, and when each last changed. That time
// is the inode's change time, which no program can set. Index, HEAD and files stay as they are. Runs git as
// the caller's user, so never in the daemon, which receives the result as text. Blocks; any thread.
//
// Not reported: ignored files, files whose change is committed by now, deleted files (nothing records when
// they were deleted), and nested repositories.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/git_command.h"

namespace luzia {

/// Returns the top folder of the work tree that contains `directory`, with links resolved: the nearest folder
/// with a `.git`, found without running git. Empty: there is none, or it is on a network file system, whose
/// times do not come from this machine's clock.
std::string work_tree_top(const std::string& directory);

struct ChangedFile {
  std::string path;                        // relative to the top
  std::int64_t from_us = 0, until_us = 0;  // its last change lies between; microseconds since 1970 UTC
  friend bool operator==(const ChangedFile&, const ChangedFile&) = default;
};

struct ChangedFiles {
  std::vector<ChangedFile> files;
  std::uint32_t more = 0;  // files beyond the limits
};

struct ChangedFilesLimits {
  std::uint32_t tracked = 100'000;  // files in the index
  std::uint32_t listed = 100'000;   // files that differ
  std::size_t files = 2'000;        // in the result
  std::size_t bytes = 128 << 10;    // of their names
};

/// Returns the files that changed at or after `since_us`. `top`: from work_tree_top(). Errors of Git;
/// `too_many_files` (refused: a tree beyond the limits is not examined).
Result<ChangedFiles> changed_files(const std::string& top, std::int64_t since_us,
                                   const ChangedFilesLimits& limits, GitDeadline deadline);

/// For a pipe: `FROM UNTIL PATH` and a NUL for each file, then `MORE` and a NUL.
std::string to_text(const ChangedFiles& changed);
/// `bad_text` (trouble): the text is incomplete.
Result<ChangedFiles> changed_files_from_text(std::string_view text);

}  // namespace luzia
