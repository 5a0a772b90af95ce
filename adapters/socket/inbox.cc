#include "adapters/socket/inbox.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace luzia {
namespace {

constexpr std::size_t kReadBytes = 64 << 10;

}  // namespace

tl::unexpected<Error> connection_lost(const std::string& why) {
  return fail(ErrorKind::trouble, "connection_lost", "talking to the daemon: " + why,
              "what was asked may have been done: look, then repeat it with the same --command-id");
}

tl::unexpected<Error> too_many_replies() {
  return fail(ErrorKind::trouble, "too_many_replies",
              "talking to the daemon: it sends more than was asked for, over 64 MiB that nobody waits for",
              "luzia daemon restart starts the installed version; running jobs are not touched");
}

Result<const wire::ServerFrame*> Inbox::next() {
  const Bytes bytes(data() + begin_, end_ - begin_);
  const auto size = LUZIA_TRY(frame_size(bytes));
  if (!size.has_value() || bytes.size() < kFrameHeaderBytes + *size) return nullptr;
  begin_ += kFrameHeaderBytes + *size;
  Bytes frame = bytes.subspan(kFrameHeaderBytes, *size);
  if (reinterpret_cast<std::uintptr_t>(frame.data()) % 8 != 0) {
    aligned_.resize((frame.size() + 7) / 8);
    std::memcpy(aligned_.data(), frame.data(), frame.size());
    frame = {reinterpret_cast<const std::uint8_t*>(aligned_.data()), frame.size()};
  }
  last_ = frame;
  return parse_server_frame(frame);
}

Result<bool> Inbox::read(int fd) {
  if (end_ - begin_ > kMostWaitingBytes) return too_many_replies();
  make_room();
  const ssize_t count = ::recv(fd, data() + end_, memory_.size() * 8 - end_, 0);
  if (count > 0) {
    end_ += static_cast<std::size_t>(count);
    return true;
  }
  if (count == 0) return connection_lost("it closed the connection");
  if (errno == EAGAIN || errno == EINTR) return false;
  return connection_lost(std::strerror(errno));
}

void Inbox::make_room() {
  if (memory_.empty()) memory_.resize(kReadBytes / 8);
  if (begin_ == end_) begin_ = end_ = 0;
  if (memory_.size() * 8 - end_ >= kReadBytes / 2) return;
  std::memmove(data(), data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (memory_.size() * 8 - end_ < kReadBytes / 2) memory_.resize(memory_.size() * 2);
}

}  // namespace luzia
