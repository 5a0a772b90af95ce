// Stores compiled databases on disk, one file per set of expressions. Whoever can write such a file could run
// code in the daemon. So only regular files of ours or of root that nobody else may write are read. Any
// thread; two concurrent writers leave one complete file.
#pragma once

#include <optional>
#include <string>

#include "engine/base/hash.h"

namespace luzia {

class DatabaseCache {
 public:
  /// Creates `folder` (0700) if it is missing; empty: nothing is cached. `key` identifies the content.
  DatabaseCache(std::string folder, const Hash& key);

  /// nullopt if the file is missing, not ours, damaged or of another key.
  std::optional<std::string> read() const;
  /// Writes atomically, 0600, and removes the files of other keys. False: the folder is not writable.
  bool write(const std::string& content) const;

 private:
  std::string folder_, name_;
  Hash key_;
};

}  // namespace luzia
