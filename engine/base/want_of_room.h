// Calls that fail because a disk takes nothing now: it is full, by what it has or by what a user may have of
// it, or it is mounted read-only. Any thread.
#pragma once

#include <cerrno>

namespace luzia {

/// Bytes, inodes or quota are used up, the size that a process may give its files (ulimit -f), or nothing may
/// be written at all: the same call may work later.
constexpr bool is_want_of_room(int errno_value) {
  return errno_value == ENOSPC || errno_value == EDQUOT || errno_value == EROFS || errno_value == EFBIG;
}
/// The same of a folder that is ours alone: rights that it has lost come back too.
constexpr bool is_want_of_room_or_rights(int errno_value) {
  return is_want_of_room(errno_value) || errno_value == EACCES || errno_value == EPERM;
}

/// What helps, as a hint.
inline constexpr char kMakeRoom[] =
    "make room on that disk, or make it writable: see df, df -i, quota and mount";

}  // namespace luzia
