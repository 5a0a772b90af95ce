// What a proxy that was taken over could still open.
#include "tools/luzia-proxy/own_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace luzia {
namespace {

bool opens(const char* path, int flags) {
  const int file = ::open(path, flags | O_CLOEXEC, 0600);
  if (file >= 0) ::close(file);
  return file >= 0;
}

/// In a process of its own, which loses its files for good.
int code_of_child() {
  const pid_t child = ::fork();
  if (child == 0) {
    if (!opens("/proc/self/status", O_RDONLY)) ::_exit(10);
    if (!give_up_files()) ::_exit(11);
    const bool resolves = opens("/etc/passwd", O_RDONLY);
    const bool reads = opens("/proc/self/status", O_RDONLY) || opens("/", O_RDONLY | O_DIRECTORY);
    const bool writes = opens("/tmp/luzia-own-files", O_WRONLY | O_CREAT) || opens("/etc/passwd", O_WRONLY);
    ::_exit((resolves ? 0 : 1) + (reads ? 2 : 0) + (writes ? 4 : 0));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

TEST(OwnFiles, OnlyWhatResolvingNeedsIsRead) {
  const bool kernel_holds = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1) >= 1;
  EXPECT_EQ(code_of_child(), kernel_holds ? 0 : 11);
}

}  // namespace
}  // namespace luzia
