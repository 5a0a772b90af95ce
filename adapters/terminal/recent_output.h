// The last of what a terminal was sent, for those who join later. Pure; one thread.
#pragma once

#include <string>
#include <string_view>

#include "adapters/terminal/screen_modes.h"

namespace luzia {

class RecentOutput {
 public:
  /// At least this much is kept, at most twice as much.
  static constexpr std::size_t kKept = 64 << 10;

  void add(std::string_view bytes);
  /// What puts a fresh terminal where the others are, but for what only older output had drawn: the modes
  /// that were set before, then the bytes kept, from the beginning of a line where there is one.
  std::string replay() const { return before_.entering() + bytes_; }

 private:
  std::string bytes_;
  ScreenModes before_;  // as they were where bytes_ begins
};

}  // namespace luzia
