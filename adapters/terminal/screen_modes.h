// Tracks from a program's output which modes it has set on its terminal. So a terminal that joins late gets
// the same modes, and one that leaves is reset. Pure; one thread.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace luzia {

class ScreenModes {
 public:
  /// Adds output as it arrives; a sequence may be split anywhere.
  void add(std::string_view bytes);
  /// The output that sets these modes on a fresh terminal.
  std::string entering() const;
  /// The output that resets these modes: colors, cursor, keys, mouse, the main screen.
  std::string leaving() const;

 private:
  enum class State { text, escape, sequence };
  void take(char byte);
  void finish_sequence(char final);
  void set_private(std::string_view numbers, bool on);

  State state_ = State::text;
  std::string parameters_;
  std::map<int, bool> changed_;  // private modes (DEC, xterm) that differ from a fresh terminal's
  int keyboard_depth_ = 0;       // of the kitty protocol's stack
  std::string keyboard_;         // its newest entry
  bool other_keys_ = false;      // xterm's modifyOtherKeys
  bool keypad_ = false;
};

}  // namespace luzia
