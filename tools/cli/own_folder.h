// A folder of small files that belong to this user alone, such as caches: nobody else can read or replace
// them, and a missing or damaged one is only forgotten. Any thread; files are replaced as a whole.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/descriptor.h"
#include "engine/base/time.h"

namespace luzia {

class OwnFolder {
 public:
  /// `make`: makes it, mode 0700, if it is missing and its parent is this user's. Nothing: it is not this
  /// user's alone.
  static std::optional<OwnFolder> open(const std::string& folder, bool make);

  /// Empty: there is no such file that is ours, or it has more than `most` bytes.
  std::string read(const std::string& name, std::size_t most) const;
  /// Replaces the file, mode 0600.
  bool write(const std::string& name, std::string_view text) const;
  void remove(const std::string& name) const;
  /// Removes the files whose names begin with `prefix` and that were last written before `then`, then the
  /// oldest ones until at most `most` are left. Looks at so many files only.
  void remove_old(std::string_view prefix, TimeUs then, std::size_t most) const;

 private:
  explicit OwnFolder(Descriptor folder) : folder_(std::move(folder)) {}
  Descriptor folder_;
};

}  // namespace luzia
