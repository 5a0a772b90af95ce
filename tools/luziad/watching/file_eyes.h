// Looks at files as another user, on one thread of root's daemon.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace luzia {

/// The groups of that account. Queries the user database, which may be slow: worker threads.
std::vector<gid_t> groups_of(const std::string& user, gid_t gid);

/// Accesses files as another user for this object's lifetime. Drops the capabilities that bypass permissions.
/// Affects this thread only.
class FileEyes {
 public:
  FileEyes(const std::vector<gid_t>& groups, uid_t uid, gid_t gid);
  ~FileEyes();
  FileEyes(const FileEyes&) = delete;
  FileEyes& operator=(const FileEyes&) = delete;
  /// False: this process may not, and nothing may be opened.
  bool is_other() const { return is_other_; }

 private:
  std::vector<gid_t> before_;
  bool changed_ = false, is_other_ = false;
};

}  // namespace luzia
