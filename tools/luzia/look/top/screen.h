// The terminal while luzia top has it: the alternate screen in raw mode, given back on every way out of here
// but kill -9; signals as readable events. One per program, one thread.
#pragma once

#include <termios.h>

#include <chrono>
#include <string>
#include <vector>

#include "tools/cli/terminal.h"

namespace luzia {

class Screen {
 public:
  /// What ended a wait: any of these.
  struct Woken {
    bool keys = false, daemon = false, resized = false;
    int signal = 0;  // one that asks to end
  };

  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  /// The size now.
  void measure(Terminal& terminal) const;
  /// Writes the lines that differ from what is there. False when the terminal is gone.
  bool draw(const std::vector<std::string>& lines);
  /// What is there is not what was drawn: the next draw() writes everything.
  void forget();
  /// Until keys, the descriptor (-1: none), a signal, or `timeout` (negative: never).
  Woken wait(int fd, std::chrono::milliseconds timeout);
  /// The bytes typed so far; empty at the end of the input.
  std::string keys() const;
  /// Gives the terminal back and stops until somebody lets the program go on.
  void suspend();

 private:
  void enter();
  void leave();

  termios before_{};
  bool entered_ = false;
  int signals_ = -1;
  std::vector<std::string> shown_;
};

}  // namespace luzia
