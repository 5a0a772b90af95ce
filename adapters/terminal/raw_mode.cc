#include "adapters/terminal/raw_mode.h"

namespace luzia {

RawMode::RawMode(int fd) : fd_(fd) {
  termios modes{};
  if (::tcgetattr(fd, &modes) != 0) return;
  before_ = modes;
  ::cfmakeraw(&modes);
  ::tcsetattr(fd, TCSADRAIN, &modes);
}

RawMode::~RawMode() {
  if (before_) ::tcsetattr(fd_, TCSADRAIN, &*before_);
}

}  // namespace luzia
