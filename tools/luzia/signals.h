// Ctrl-C, termination and resizing as readable events instead of handlers. One per program; one thread.
#pragma once

#include <chrono>

#include "adapters/socket/client.h"

namespace luzia {

/// A program that a signal ended has the exit code of this and the signal's number, as shells tell it.
inline constexpr int kSignalBase = 128;

/// Ends the process as the signal would have that StopSignals took last, if `code` is that signal's; else
/// returns. A shell stops its script only when the program that Ctrl-C was meant for has died of it.
void end_as_stopped(int code);

/// What ended a wait.
enum class Woken { readable, interrupted, resized, timeout };

class Signals {
 public:
  /// From here to the end of its life SIGINT, SIGTERM and SIGWINCH only arrive through wait().
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// Until the client may have received something, a signal comes or the time is over (negative: never).
  Woken wait(Client& client, std::chrono::milliseconds timeout) const;
  /// The signal of the last `interrupted`.
  int last_signal() const { return last_signal_; }

 private:
  int fd_ = -1;
  mutable int last_signal_ = 0;
};

/// Ctrl-C, termination and hang-up alone, as a descriptor to wait for. One per program, without Signals. What
/// the program is started to ignore (nohup, a script's background job) it ignores.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Readable from the first signal on.
  int fd() const { return fd_; }
  /// The signal that came; 0: none yet.
  int take() const;
  /// Until the client may have received something (0), or a signal comes: that one.
  int wait(Client& client) const;
  /// The next frame; nullptr after `timeout` (negative: none), or when a signal came first: take() tells.
  Result<const wire::ServerFrame*> receive(Client& client, std::chrono::milliseconds timeout) const;

 private:
  int fd_ = -1;
};

}  // namespace luzia
