#include "tools/luzia-fleet/ending.h"

#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>

#include <csignal>

#include "adapters/socket/readable.h"

namespace luzia {

Ending::Ending() {
  std::signal(SIGPIPE, SIG_IGN);
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signals_.reset(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  both_.reset(::epoll_create1(EPOLL_CLOEXEC));
  epoll_event wanted{};
  wanted.events = EPOLLIN;
  ::epoll_ctl(both_.get(), EPOLL_CTL_ADD, signals_.get(), &wanted);
  struct stat status {};
  if (::fstat(STDIN_FILENO, &status) != 0 || !S_ISFIFO(status.st_mode)) return;
  wanted.events = EPOLLHUP;
  ::epoll_ctl(both_.get(), EPOLL_CTL_ADD, STDIN_FILENO, &wanted);
}

bool Ending::wait(std::chrono::milliseconds most) const {
  return wait_readable(fd(), -1, most).first;
}

}  // namespace luzia
