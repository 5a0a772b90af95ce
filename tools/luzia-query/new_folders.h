// The folders that an export makes on the way to its place: taken back where nothing comes to be in them. One
// thread.
#pragma once

#include <string>
#include <vector>

namespace luzia {

class NewFolders {
 public:
  /// Remembers which of `path` and its parents are missing; makes none.
  explicit NewFolders(const std::string& path);
  NewFolders(NewFolders&&) = default;
  NewFolders& operator=(NewFolders&&) = delete;
  /// Removes those of them that are empty.
  ~NewFolders();

 private:
  std::vector<std::string> missing_;  // the innermost first
};

}  // namespace luzia
