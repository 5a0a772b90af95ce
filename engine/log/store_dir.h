// The store's folder: who may enter it, and who may write.
#pragma once

#include <sys/types.h>

#include <string>

#include "engine/base/result.h"
#include "engine/base/store_filesystem.h"

namespace luzia {

/// Creates the folder for its user only (0700), and missing parents with 0755, because users of jobs pass
/// through them to the jobs beside the store. Refused (`store_permissions`): a folder that others may write
/// to, or whose path they could redirect (unsafe_parent()). It may have been tampered with, so a person must
/// check it.
Status prepare_store_dir(const std::string& store);

/// Whether this process may let a group in: root may, and whoever is in it.
bool may_let_in(gid_t group);

/// Lets the members of a group reach the socket, and nothing else. A folder with 0700, as prepare_store_dir()
/// creates it, becomes 0710 with that group; rights that somebody chose stay. Everything else in it becomes
/// accessible to its user only. Only for the holder of the store's lock. Error `store_group`: the user is not
/// in that group.
Status open_store_to_group(const std::string& store, const std::string& socket, gid_t group);

/// The writer's flock on STORE/lock, held until destruction. The file contains the pid of the last holder,
/// for people.
class StoreLock {
 public:
  /// `store_locked` names the holder's pid if it is known: a daemon, or a program that rebuilds or salvages
  /// the store.
  static Result<StoreLock> acquire(const std::string& store);
  /// Takes over the lock that this process held before exec; `fd` is what keep_over_exec() returned. Any
  /// other descriptor is left alone, and the lock is acquired.
  static Result<StoreLock> adopt(const std::string& store, int fd);
  /// Keeps the lock when this process executes another program.
  int keep_over_exec() const;
  StoreLock(StoreLock&& other) noexcept;
  StoreLock& operator=(StoreLock&&) = delete;
  ~StoreLock();

 private:
  explicit StoreLock(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace luzia
