// A file descriptor with an owner. One thread.
#pragma once

#include <unistd.h>

#include <utility>

namespace luzia {

class Descriptor {
 public:
  Descriptor() = default;
  /// Takes what open(2) and its like return; negative: none is open.
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      close();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~Descriptor() { close(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  /// As close(2); 0 if none is open.
  int close() {
    const int fd = std::exchange(fd_, -1);
    return fd < 0 ? 0 : ::close(fd);
  }

 private:
  int fd_ = -1;
};

}  // namespace luzia
