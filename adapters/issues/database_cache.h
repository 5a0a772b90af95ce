// Compiled databases on disk, one file for one set of expressions. Whoever could write it would run code in
// the daemon, so only a regular file of our own or root's that nobody else may write is read. Any thread; two
// writers at once leave one whole file.
#pragma once

#include <optional>
#include <string>

#include "engine/base/hash.h"

namespace luzia {

class DatabaseCache {
 public:
  /// `folder` is made when it is not there (0700); empty: nothing is cached. `key` names the content.
  DatabaseCache(std::string folder, const Hash& key);

  /// Nothing when it is not there, not ours, damaged or of another key.
  std::optional<std::string> read() const;
  /// Atomically, 0600; removes the files of other keys. False: the folder does not take it.
  bool write(const std::string& content) const;

 private:
  std::string folder_, name_;
  Hash key_;
};

}  // namespace luzia
