#include "tools/luzia/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

namespace luzia {
namespace {

sigset_t our_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGWINCH}) ::sigaddset(&set, signal);
  return set;
}

sigset_t stop_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // A blocked signal arrives at the descriptor even if it is ignored.
    struct sigaction present {};
    const bool ignored = ::sigaction(signal, nullptr, &present) == 0 && present.sa_handler == SIG_IGN;
    if (!ignored) ::sigaddset(&set, signal);
  }
  return set;
}

/// The signal that take() returned last; 0: none.
int taken_signal = 0;

}  // namespace

void end_as_stopped(int code) {
  if (taken_signal == 0 || code != kSignalBase + taken_signal) return;
  std::fflush(nullptr);
  ::signal(taken_signal, SIG_DFL);
  ::raise(taken_signal);
}

StopSignals::StopSignals() {
  const sigset_t set = stop_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  fd_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

StopSignals::~StopSignals() {
  ::close(fd_);
  const sigset_t set = stop_signals();
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

int StopSignals::take() const {
  signalfd_siginfo arrived{};
  if (::read(fd_, &arrived, sizeof arrived) != sizeof arrived) return 0;
  return taken_signal = static_cast<int>(arrived.ssi_signo);
}

int StopSignals::wait(Client& client) const {
  client.wait_beside(fd_, std::chrono::milliseconds(-1));
  return take();
}

Result<const wire::ServerFrame*> StopSignals::receive(Client& client,
                                                      std::chrono::milliseconds timeout) const {
  // A received frame may be in the client's buffer already, which its descriptor does not show.
  const auto frame = client.receive(std::chrono::milliseconds(0));
  if (!frame || *frame != nullptr) return frame;
  const bool stopped = client.wait_beside(fd_, timeout).first;
  return stopped ? frame : client.receive(std::chrono::milliseconds(0));
}

Result<int> StopSignals::wait_for_event(Client& follower) const {
  for (;;) {
    const auto frame = receive(follower, std::chrono::milliseconds(-1));
    if (const int signal = take(); signal != 0) return signal;
    if (!frame) return tl::unexpected(frame.error());
    if (*frame == nullptr) continue;
    if (const auto* refused = (*frame)->reply_as_Refused())
      return tl::unexpected(follower.error_of(*refused));
    const auto* events = (*frame)->reply_as_Events();
    if (events != nullptr && events->events() != nullptr && events->events()->size() > 0) return 0;
  }
}

Signals::Signals() {
  const sigset_t set = our_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  fd_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

Signals::~Signals() {
  ::close(fd_);
  const sigset_t set = our_signals();
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

Woken Signals::wait(Client& client, std::chrono::milliseconds timeout) const {
  const Readable readable = client.wait_beside(fd_, timeout);
  signalfd_siginfo arrived{};
  if (::read(fd_, &arrived, sizeof arrived) == sizeof arrived) {
    last_signal_ = static_cast<int>(arrived.ssi_signo);
    return last_signal_ == SIGWINCH ? Woken::resized : Woken::interrupted;
  }
  return readable.second ? Woken::readable : Woken::timeout;
}

}  // namespace luzia
