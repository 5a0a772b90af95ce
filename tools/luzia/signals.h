// Ctrl-C, termination and resizing as readable events instead of handlers. One per program; one thread.
#pragma once

#include <chrono>

namespace luzia {

class Client;

/// What ended a wait.
enum class Woken { readable, interrupted, resized, timeout };

class Signals {
 public:
  /// From here to the end of its life SIGINT, SIGTERM and SIGWINCH only arrive through wait().
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// Until the descriptor is readable, a signal comes or the time is over (negative: never).
  Woken wait(int fd, std::chrono::milliseconds timeout) const;
  /// The signal of the last `interrupted`.
  int last_signal() const { return last_signal_; }

 private:
  int fd_ = -1;
  mutable int last_signal_ = 0;
};

}  // namespace luzia
