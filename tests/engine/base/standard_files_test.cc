#include "engine/base/standard_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <initializer_list>

namespace luzia {
namespace {

bool is_dev_null(int fd) {
  struct stat status {};
  return fstat(fd, &status) == 0 && S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3);
}

/// In a child process: closes these descriptors, makes the others of 0 to 2 a pipe, and returns as bits which
/// of 0 to 2 are /dev/null.
int null_when_closed(std::initializer_list<int> closed) {
  const pid_t child = fork();
  if (child == 0) {
    int ends[2] = {};
    if (pipe(ends) != 0) _exit(100);
    for (int fd = 0; fd <= 2; ++fd) dup2(ends[1], fd);
    for (const int fd : closed) close(fd);
    open_standard_files();
    int bits = 0;
    for (int fd = 0; fd <= 2; ++fd) bits |= is_dev_null(fd) ? 1 << fd : 0;
    _exit(open("/dev/null", O_RDONLY | O_CLOEXEC) > 2 ? bits : 101);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(StandardFiles, ClosedOnesBecomeDevNull) {
  EXPECT_EQ(null_when_closed({}), 0);
  EXPECT_EQ(null_when_closed({0}), 1);
  EXPECT_EQ(null_when_closed({2}), 4);
  EXPECT_EQ(null_when_closed({0, 1, 2}), 7);
}

}  // namespace
}  // namespace luzia
