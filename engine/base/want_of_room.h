// Errors of calls that fail because a disk accepts no data now: it is full, the quota is used up, or it is
// mounted read-only. Any thread.
#pragma once

#include <cerrno>

namespace luzia {

/// No bytes, inodes or quota are left, the file size limit of the process (ulimit -f) is reached, or the disk
/// is read-only. The same call may succeed later.
constexpr bool is_want_of_room(int errno_value) {
  return errno_value == ENOSPC || errno_value == EDQUOT || errno_value == EROFS || errno_value == EFBIG;
}
/// The same for a folder that only Luzia uses: lost rights may come back too.
constexpr bool is_want_of_room_or_rights(int errno_value) {
  return is_want_of_room(errno_value) || errno_value == EACCES || errno_value == EPERM;
}

/// A hint for these errors.
inline constexpr char kMakeRoom[] =
    "make room on that disk, or make it writable: see df, df -i, quota and mount";

}  // namespace luzia
