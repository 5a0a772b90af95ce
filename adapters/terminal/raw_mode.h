// Switches a terminal to raw mode, in which each key is passed on as it is typed, for this object's lifetime;
// then restores it. One thread.
#pragma once

#include <termios.h>

#include <optional>

namespace luzia {

class RawMode {
 public:
  /// Does nothing if `fd` is not a terminal.
  explicit RawMode(int fd);
  ~RawMode();
  RawMode(const RawMode&) = delete;
  RawMode& operator=(const RawMode&) = delete;

 private:
  int fd_;
  std::optional<termios> before_;
};

}  // namespace luzia
