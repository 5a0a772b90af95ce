// Keeps a terminal's most recent output, for people who attach later. Pure; one thread.
#pragma once

#include <string>
#include <string_view>

#include "adapters/terminal/screen_modes.h"

namespace luzia {

class RecentOutput {
 public:
  /// Keeps at least this many bytes, at most twice as many.
  static constexpr std::size_t kKept = 64 << 10;

  void add(std::string_view bytes);
  /// Output that brings a fresh terminal to the current state, except for what only older output had drawn.
  /// It sets the modes in force before the kept bytes, then replays these, from the start of a line if there
  /// is one.
  std::string replay() const { return before_.entering() + bytes_; }

 private:
  std::string bytes_;
  ScreenModes before_;  // where bytes_ begins
};

}  // namespace luzia
