// Buffers what a client has received. One thread, like its client.
#pragma once

#include <vector>

#include "adapters/socket/frame.h"

namespace luzia {

/// Bound on unread replies. The process that listens may be any user's program.
inline constexpr std::size_t kMostWaitingBytes = 64 << 20;

tl::unexpected<Error> connection_lost(const std::string& why);
tl::unexpected<Error> too_many_replies();

/// Bytes received and not yet consumed, read directly into place.
class Inbox {
 public:
  /// The next whole frame, aligned; nullptr if it is incomplete. Valid until the next read().
  Result<const wire::ServerFrame*> next();
  /// The bytes of that frame.
  Bytes last() const { return last_; }
  /// Reads available bytes once. Returns whether there were any; `connection_lost`, `too_many_replies`
  /// (trouble).
  Result<bool> read(int fd);
  /// Whether there is nothing that was not consumed.
  bool empty() const { return begin_ == end_; }
  /// The bytes that were not consumed.
  std::size_t size() const { return end_ - begin_; }
  /// The memory that it holds, in bytes.
  std::size_t capacity() const { return (memory_.capacity() + aligned_.capacity()) * sizeof(std::uint64_t); }

 private:
  std::uint8_t* data() { return reinterpret_cast<std::uint8_t*>(memory_.data()); }
  void make_room();

  std::vector<std::uint64_t> memory_;
  std::vector<std::uint64_t> aligned_;
  std::size_t begin_ = 0, end_ = 0;
  Bytes last_;
};

}  // namespace luzia
