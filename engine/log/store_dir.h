// The store's folder: where it may lie, who may look in, and who writes.
#pragma once

#include <sys/types.h>

#include <string>

#include "engine/base/result.h"

namespace luzia {

/// NFS, CIFS, FUSE and their like are refused (`store_filesystem`): locks, fsync and renames there do not
/// keep what they promise. Looks at the nearest folder that exists.
Status check_store_filesystem(const std::string& store);

/// Whether statfs's f_type is one of those.
bool is_refused_filesystem(long type);

/// Makes the folder for its user alone (0700), its missing parents with 0755: a job's user comes through them
/// to the jobs beside it. Refused (`store_permissions`): a folder that others may write to, or one whose path
/// they may lead elsewhere (unsafe_parent()). What stood open may have been changed, so a person looks.
Status prepare_store_dir(const std::string& store);

/// Lets the members of a group come as far as the socket, and nobody else: a folder that is its user's alone
/// (0700, as prepare_store_dir() makes it) becomes 0710 of that group; one whose rights somebody has chosen
/// keeps them. What else is in it is its user's alone from then on. For the holder of the store's lock.
/// Errors
/// (`store_group`): the user is in no such group.
Status open_store_to_group(const std::string& store, const std::string& socket, gid_t group);

/// The writer's flock on STORE/lock, held until destroyed. The file holds the pid of the last holder, for
/// people.
class StoreLock {
 public:
  /// `store_locked` names the holder's pid if known: a daemon, or a program that rebuilds or salvages the
  /// store.
  static Result<StoreLock> acquire(const std::string& store);
  /// The lock that this process held before it executed itself anew: `fd` is what keep_over_exec() gave. Any
  /// other descriptor is left alone, and the lock acquired.
  static Result<StoreLock> adopt(const std::string& store, int fd);
  /// From now on the next program of this process holds the lock too.
  int keep_over_exec() const;
  StoreLock(StoreLock&& other) noexcept;
  StoreLock& operator=(StoreLock&&) = delete;
  ~StoreLock();

 private:
  explicit StoreLock(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace luzia
