#include "adapters/terminal/terminal_guest.h"

#include <sys/socket.h>

#include <cerrno>

namespace luzia {

void TerminalGuest::send(const std::string& frames) {
  if (misses_some_) return;
  if (waiting_.size() + frames.size() > kMostWaiting) {
    misses_some_ = true;  // queued frames are sent whole: a frame must not be cut
  } else {
    waiting_ += frames;
  }
}

void TerminalGuest::flush(const RecentOutput& recent) {
  while (has_output() && !gone_) {
    if (waiting_.empty()) waiting_ = std::exchange(last_word_, {});
    const ssize_t count = ::send(fd(), waiting_.data(), waiting_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) gone_ = true;
    if (count > 0) waiting_.erase(0, static_cast<std::size_t>(count));
    if (waiting_.empty() && misses_some_) {
      misses_some_ = false;
      waiting_ = output_frames(recent.replay());
    }
  }
}

TerminalFrameReader& TerminalGuest::receive() {
  char bytes[4096];
  const ssize_t count = ::recv(fd(), bytes, sizeof bytes, MSG_DONTWAIT);
  if (count > 0) reader_.add({bytes, static_cast<std::size_t>(count)});
  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) gone_ = true;
  return reader_;
}

}  // namespace luzia
