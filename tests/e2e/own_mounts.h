// Mounts that only the calling process and what it starts from then on can see.
#pragma once

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <string>

#include "tests/e2e/program.h"

namespace luzia {

/// False where the kernel does not allow it. Who is not root becomes root of a user namespace of its own,
/// which changes nothing outside. Before the process has a second thread.
inline bool enter_own_mounts() {
  const std::string uid = std::to_string(::geteuid()), gid = std::to_string(::getegid());
  const bool is_root = ::geteuid() == 0;
  if (::unshare(is_root ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  if (!is_root) {
    write_text("/proc/self/setgroups", "deny");
    write_text("/proc/self/uid_map", "0 " + uid + " 1");
    write_text("/proc/self/gid_map", "0 " + gid + " 1");
  }
  return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

}  // namespace luzia
