// What a client has received. One thread, as its client.
#pragma once

#include <vector>

#include "adapters/socket/frame.h"

namespace luzia {

/// Replies that may wait to be taken. Whoever listens there may be anybody's program.
inline constexpr std::size_t kMostWaitingBytes = 64 << 20;

tl::unexpected<Error> connection_lost(const std::string& why);
tl::unexpected<Error> too_many_replies();

/// Bytes received and not yet given out, read straight into place.
class Inbox {
 public:
  /// The next whole frame, aligned; nullptr when it is not all there. Valid until the next read().
  Result<const wire::ServerFrame*> next();
  /// The bytes of that frame.
  Bytes last() const { return last_; }
  /// Reads what is there, once. Whether there was anything; `connection_lost`, `too_many_replies` (trouble).
  Result<bool> read(int fd);

 private:
  std::uint8_t* data() { return reinterpret_cast<std::uint8_t*>(memory_.data()); }
  void make_room();

  std::vector<std::uint64_t> memory_;
  std::vector<std::uint64_t> aligned_;
  std::size_t begin_ = 0, end_ = 0;
  Bytes last_;
};

}  // namespace luzia
