// Calls that fail because a disk is full, by what it has or by what a user may have of it. Any thread.
#pragma once

#include <cerrno>

namespace luzia {

/// Bytes, inodes or quota are used up, or the size that a process may give its files (ulimit -f): the same
/// call may work later.
constexpr bool is_want_of_room(int errno_value) {
  return errno_value == ENOSPC || errno_value == EDQUOT || errno_value == EFBIG;
}

/// What helps, as a hint.
inline constexpr char kMakeRoom[] = "make room on that disk: see df, df -i and quota";

}  // namespace luzia
