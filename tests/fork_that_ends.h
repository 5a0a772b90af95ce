// A child that cannot outlive the test: it would keep the test's output open, and whoever waits for its end
// would wait for ever.
#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace luzia {

/// fork(), whose child is killed when the process that forked it ends, also when that was before it ran.
inline pid_t fork_that_ends() {
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0 && (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != parent)) ::_exit(0);
  return child;
}

}  // namespace luzia
