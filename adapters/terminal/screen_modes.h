// Which modes a program has put a terminal into: read from its output, so that a terminal that joins late
// is put into the same, and one that leaves is put back. Pure; one thread.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace luzia {

class ScreenModes {
 public:
  /// Output as it comes; a sequence may be cut anywhere.
  void add(std::string_view bytes);
  /// Puts a fresh terminal into these modes.
  std::string entering() const;
  /// Puts a terminal in these modes back: colours, cursor, keys, mouse, the main screen.
  std::string leaving() const;

 private:
  enum class State { text, escape, sequence };
  void take(char byte);
  void finish_sequence(char final);
  void set_private(std::string_view numbers, bool on);

  State state_ = State::text;
  std::string parameters_;
  std::map<int, bool> changed_;  // private modes (DEC, xterm) that are not as a fresh terminal has them
  int keyboard_depth_ = 0;       // of the kitty protocol's stack
  std::string keyboard_;         // its newest entry
  bool other_keys_ = false;      // xterm's modifyOtherKeys
  bool keypad_ = false;
};

}  // namespace luzia
