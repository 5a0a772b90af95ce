// Mounts in a sandbox, by descriptors and not by paths: agents write beside us.
#pragma once

#include <sys/types.h>

namespace luzia::run {

/// For a path from which links were taken. Agents write beside us: one that swaps a folder on the way for a
/// link is not followed (ELOOP).
int open_without_links(const char* path, int flags, mode_t mode = 0);

struct MountedAs {
  bool read_only = false;
  bool devices = false;  // device files there work
};

/// Mounts a copy of what `from` is, with all that is mounted below, on `to`; both may be the same descriptor
/// (O_PATH). False with errno.
bool mount_copy_of(int from, int to, MountedAs how);

/// Mounts it on itself, only read. Links on the way are followed. False with errno.
bool make_only_read(const char* path);

}  // namespace luzia::run
