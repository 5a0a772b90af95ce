// Removes the folders that an export creates for its output if they stay empty. One thread.
#pragma once

#include <string>
#include <vector>

namespace luzia {

class NewFolders {
 public:
  /// Remembers which of `path` and its parents are missing. Creates nothing.
  explicit NewFolders(const std::string& path);
  NewFolders(NewFolders&&) = default;
  NewFolders& operator=(NewFolders&&) = delete;
  /// Removes those that exist by now and are empty.
  ~NewFolders();

 private:
  std::vector<std::string> missing_;  // innermost first
};

}  // namespace luzia
