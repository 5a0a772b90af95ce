// Which files of a work tree differ from what is committed, and when each was last changed: by the time of
// the inode, which no program can set. Index, HEAD and files stay as they are. Runs git as whoever calls, so
// never in the daemon, which gets what was found as text. Blocks; any thread.
//
// Not told: files that are ignored, whose change was committed by now, or that are gone (nothing says when
// they went), and repositories inside.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/git_command.h"

namespace luzia {

/// The folder of the work tree that `directory` is in, without links and as far as that can be told without
/// git: the nearest one with a `.git`. Empty: there is none, or it's on a file system of the network, whose
/// times are not those of this machine's clock.
std::string work_tree_top(const std::string& directory);

struct ChangedFile {
  std::string path;                        // relative to the top
  std::int64_t from_us = 0, until_us = 0;  // it was last changed between; microseconds since 1970 UTC
  friend bool operator==(const ChangedFile&, const ChangedFile&) = default;
};

struct ChangedFiles {
  std::vector<ChangedFile> files;
  std::uint32_t more = 0;  // beyond what is taken
};

struct ChangedFilesLimits {
  std::uint32_t tracked = 100'000;  // files in the index
  std::uint32_t listed = 100'000;   // files that differ
  std::size_t files = 2'000;        // in the result
  std::size_t bytes = 128 << 10;    // of their names
};

/// Those that changed at or after `since_us`. `top` as from work_tree_top. Errors of Git; `too_many_files`
/// (refused: a tree beyond the limits is not looked at).
Result<ChangedFiles> changed_files(const std::string& top, std::int64_t since_us,
                                   const ChangedFilesLimits& limits, GitDeadline deadline);

/// For a pipe: `FROM UNTIL PATH` and a NUL for each, then `MORE` and a NUL.
std::string to_text(const ChangedFiles& changed);
/// `bad_text` (trouble): it's not whole.
Result<ChangedFiles> changed_files_from_text(std::string_view text);

}  // namespace luzia
