// Captures the current files of a work tree as a git tree: tracked files, and untracked ones that are not
// ignored. It uses a copy of the index. So index, HEAD and stash stay exactly as they are, and files
// unchanged since git last looked are not read again. Blocks; one thread.
//
// Left out and listed: files over the size limit, unreadable files, untracked nested repositories, and
// entries that are not files (a FIFO). Of a submodule its commit is kept. Apart from the limit, `git add -A`
// would take the same files.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/repository.h"

namespace luzia {

/// Where contents that are new to the repository are stored.
enum class NewObjects {
  kept,    // into the repository
  scratch  // in a folder of our own, while the FilesNow lives
};

class FilesNow {
 public:
  /// `max_file`: bytes; 0: no limit. Errors of Git, and `no_scratch` (trouble: no temporary folder can be
  /// made).
  static Result<FilesNow> look(const Repository& repository, std::uint64_t max_file, NewObjects objects,
                               GitDeadline deadline);
  FilesNow(FilesNow&&) noexcept;
  FilesNow& operator=(FilesNow&&) noexcept;
  ~FilesNow();

  /// Adds these paths too if they exist, ignored or not.
  Status include(const std::vector<std::string>& paths);

  /// The tree's id.
  const std::string& tree() const { return tree_; }
  /// Relative to the top folder; folders end with a slash.
  const std::set<std::string>& left_out() const { return left_out_; }
  /// Runs in the top folder with the copied index and the objects of this capture.
  const Git& git() const { return git_; }
  /// The path of a file with that name in the scratch folder.
  std::string scratch(const std::string& name) const;

 private:
  struct Folder;
  FilesNow(std::unique_ptr<Folder> folder, Git git, std::uint64_t max_file);
  Result<std::set<std::string>> changed_paths() const;
  /// Whether the file can be captured; if not, adds it to left_out().
  bool is_taken(const std::string& path);
  Status take(const std::set<std::string>& paths);

  std::unique_ptr<Folder> folder_;
  Git git_;
  std::uint64_t max_file_;
  std::string tree_;
  std::set<std::string> left_out_;
};

}  // namespace luzia
