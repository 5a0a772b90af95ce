// A terminal that hands on every key as it is typed, for as long as this lives; then it is as it was. One
// thread.
#pragma once

#include <termios.h>

#include <optional>

namespace luzia {

class RawMode {
 public:
  /// Does nothing where `fd` is no terminal.
  explicit RawMode(int fd);
  ~RawMode();
  RawMode(const RawMode&) = delete;
  RawMode& operator=(const RawMode&) = delete;

 private:
  int fd_;
  std::optional<termios> before_;
};

}  // namespace luzia
