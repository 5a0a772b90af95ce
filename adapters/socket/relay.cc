#include "adapters/socket/relay.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace luzia {
namespace {

/// One direction.
class RelayWay {
 public:
  RelayWay(int from, int to) : from_(from), to_(to) {}

  bool ended() const { return ended_; }
  bool empty() const { return begin_ == end_; }
  bool reads() const { return !ended_ && end_ < bytes_.size(); }
  bool writes() const { return !empty(); }

  /// Nothing more can be passed on this way.
  void give_up() {
    ended_ = true;
    begin_ = end_ = 0;
  }

  /// 0 or errno.
  int read() {
    const ssize_t count = ::read(from_, bytes_.data() + end_, bytes_.size() - end_);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    // A connection that was reset has ended.
    if (count < 0 && errno != ECONNRESET && errno != EIO) return errno;
    if (count <= 0) ended_ = true;
    if (count > 0) end_ += static_cast<std::size_t>(count);
    return 0;
  }

  /// 0 or errno.
  int write() {
    const ssize_t count = ::write(to_, bytes_.data() + begin_, end_ - begin_);
    if (count < 0) return errno == EAGAIN || errno == EINTR ? 0 : errno;
    begin_ += static_cast<std::size_t>(count);
    if (begin_ == end_) begin_ = end_ = 0;
    return 0;
  }

 private:
  int from_, to_;
  std::array<char, 64 << 10> bytes_;
  std::size_t begin_ = 0, end_ = 0;
  bool ended_ = false;
};

bool is_gone(int reason) {
  return reason == EPIPE || reason == ECONNRESET;
}

}  // namespace

Status relay(int in, int out, int connection) {
  for (const int fd : {in, out, connection}) {
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) {
      return fail_errno(errno, "relay_failed", "passing bytes on");
    }
  }
  ::signal(SIGPIPE, SIG_IGN);
  RelayWay there(in, connection), back(connection, out);
  bool told_end = false;  // the connection knows that `in` has ended
  while (!back.ended() || back.writes()) {
    if (there.ended() && there.empty() && !told_end) {
      told_end = true;
      ::shutdown(connection, SHUT_WR);
    }
    std::array<pollfd, 4> waiting = {{{there.reads() ? in : -1, POLLIN, 0},
                                      {there.writes() ? connection : -1, POLLOUT, 0},
                                      {back.reads() ? connection : -1, POLLIN, 0},
                                      {out, static_cast<short>(back.writes() ? POLLOUT : 0), 0}}};
    if (::poll(waiting.data(), waiting.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return fail_errno(errno, "relay_failed", "waiting for bytes to pass on");
    }
    // Nobody reads the answers any more.
    if ((waiting[3].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) return {};
    int reason = 0;
    if (waiting[0].revents != 0) reason = there.read();
    if (reason == 0 && waiting[1].revents != 0) {
      const int failed = there.write();
      // The daemon reads no more; what it has said is still to be passed on.
      is_gone(failed) ? there.give_up() : void(reason = failed);
    }
    if (reason == 0 && waiting[2].revents != 0) reason = back.read();
    if (reason == 0 && (waiting[3].revents & POLLOUT) != 0) reason = back.write();
    if (is_gone(reason)) return {};
    if (reason != 0) return fail_errno(reason, "relay_failed", "passing bytes on");
  }
  return {};
}

}  // namespace luzia
