#include "tools/luzia-run/sandbox_mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "tools/luzia-run/kernel_calls.h"

namespace luzia::run {
namespace {

void close_keeping_errno(int fd) {
  const int error = errno;
  if (fd >= 0) ::close(fd);
  errno = error;
}

}  // namespace

int open_without_links(const char* path, int flags, mode_t mode) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_NOFOLLOW | O_CLOEXEC);
  how.mode = mode;
  how.resolve = RESOLVE_NO_SYMLINKS;
  return static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how));
}

bool mount_copy_of(int from, int to, MountedAs how) {
  const int copy = kernel::open_tree(
      from, "", static_cast<unsigned>(OPEN_TREE_CLONE) | OPEN_TREE_CLOEXEC | AT_RECURSIVE | AT_EMPTY_PATH);
  mount_attr wanted{};
  wanted.attr_set = MOUNT_ATTR_NOSUID;
  if (!how.devices) wanted.attr_set |= MOUNT_ATTR_NODEV;
  if (how.read_only) wanted.attr_set |= MOUNT_ATTR_RDONLY;
  const bool done = copy >= 0 && kernel::mount_setattr(copy, AT_EMPTY_PATH | AT_RECURSIVE, wanted) == 0 &&
                    kernel::move_mount(copy, to, MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) == 0;
  close_keeping_errno(copy);
  return done;
}

bool make_only_read(const char* path) {
  const int at = ::open(path, O_PATH | O_CLOEXEC);
  const bool done = at >= 0 && mount_copy_of(at, at, {.read_only = true});
  close_keeping_errno(at);
  return done;
}

}  // namespace luzia::run
