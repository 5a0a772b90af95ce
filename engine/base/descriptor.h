// An open descriptor that is closed with its owner, and whole reads and writes. Any thread.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace luzia {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    reset(other.release());
    return *this;
  }
  ~Descriptor() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  /// The caller closes it.
  int release() { return std::exchange(fd_, -1); }
  /// As close(2); 0 if none is open.
  int close() {
    const int fd = release();
    return fd < 0 ? 0 : ::close(fd);
  }
  void reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

/// Reads to the end of the file, at most `most` bytes. nullopt: errno says why it cannot be read.
std::optional<std::string> read_up_to(int fd, std::size_t most);

/// Waits where the descriptor takes no more, also if another process made a terminal nonblocking. False:
/// errno says why not all was written.
bool write_fully(int fd, std::string_view bytes);

}  // namespace luzia
