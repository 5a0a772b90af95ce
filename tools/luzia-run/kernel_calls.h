// System calls of Linux that not every C library has a function for (musl 1.2.3 lacks them), and the search
// of a program. Like the functions of the same names: -1 with errno.
#pragma once

#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/mount.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// musl has its own struct statx since 1.2.5, and the kernel's header cannot be beside it.
#ifndef STATX_TYPE
#include <linux/stat.h>
#endif
#ifndef STATX_ATTR_MOUNT_ROOT
#define STATX_ATTR_MOUNT_ROOT 0x2000
#endif

namespace luzia::run::kernel {

inline int close_range(unsigned first, unsigned last, unsigned flags) {
  return static_cast<int>(::syscall(SYS_close_range, first, last, flags));
}

/// Fails with EEXIST if `to` exists.
inline int rename_new(int folder, const char* from, const char* to) {
  constexpr unsigned kNoReplace = 1;  // linux/fs.h, whose other macros disturb
  return static_cast<int>(::syscall(SYS_renameat2, folder, from, folder, to, kNoReplace));
}

inline int statx(int at, const char* path, int flags, unsigned mask, struct statx& out) {
  return static_cast<int>(::syscall(SYS_statx, at, path, flags, mask, &out));
}

inline int open_tree(int at, const char* path, unsigned flags) {
  return static_cast<int>(::syscall(SYS_open_tree, at, path, flags));
}

inline int move_mount(int from, int to, unsigned flags) {
  return static_cast<int>(::syscall(SYS_move_mount, from, "", to, "", flags));
}

inline int mount_setattr(int at, unsigned flags, const mount_attr& wanted) {
  return static_cast<int>(::syscall(SYS_mount_setattr, at, "", flags, &wanted, sizeof wanted));
}

/// Of this process; `resource` as in setrlimit.
inline int set_limit(int resource, uint64_t soft, uint64_t hard) {
  const uint64_t given[] = {soft, hard};
  return static_cast<int>(::syscall(SYS_prlimit64, 0, resource, given, nullptr));
}

/// execvp() as glibc has it: a program without `/` is searched in PATH of `environ`, and a file that the
/// kernel cannot execute is a script of /bin/sh. Returns only if it fails. Safe after vfork.
void execute(char** command);

}  // namespace luzia::run::kernel
