// The files of a work tree as they are now, as a git tree: tracked ones, and untracked ones that are not
// ignored. Made with a copy of the index, so that index, HEAD and stash stay exactly as they are, and files
// that are unchanged since git last looked are not read again. Blocks; one thread.
//
// Left out, and named: files over the limit, files that cannot be read, repositories inside (untracked ones;
// of a submodule its commit is kept), and what is no file (a FIFO). Beside the limit this is what `git add
// -A` would take.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/repository.h"

namespace luzia {

/// Where the contents of files that are new to the repository go.
enum class NewObjects {
  kept,    // into the repository
  scratch  // into a folder of our own, for as long as the FilesNow lives
};

class FilesNow {
 public:
  /// `max_file`: bytes; 0: no limit. Errors of Git, and `no_scratch` (trouble: no temporary folder).
  static Result<FilesNow> look(const Repository& repository, std::uint64_t max_file, NewObjects objects,
                               GitDeadline deadline);
  FilesNow(FilesNow&&) noexcept;
  FilesNow& operator=(FilesNow&&) noexcept;
  ~FilesNow();

  /// These too, ignored or not, where they are there.
  Status include(const std::vector<std::string>& paths);

  /// The tree's id.
  const std::string& tree() const { return tree_; }
  /// Relative to the top; a folder ends with a slash.
  const std::set<std::string>& left_out() const { return left_out_; }
  /// Runs in the top folder with the copied index and the objects of this look.
  const Git& git() const { return git_; }
  /// A file of that name in our scratch folder.
  std::string scratch(const std::string& name) const;

 private:
  struct Folder;
  FilesNow(std::unique_ptr<Folder> folder, Git git, std::uint64_t max_file);
  Result<std::set<std::string>> changed_paths() const;
  /// Whether it can be taken; if not, it is among the left out.
  bool is_taken(const std::string& path);
  Status take(const std::set<std::string>& paths);

  std::unique_ptr<Folder> folder_;
  Git git_;
  std::uint64_t max_file_;
  std::string tree_;
  std::set<std::string> left_out_;
};

}  // namespace luzia
