// Receives Ctrl-C, termination and terminal resizing through descriptors instead of signal handlers. One
// object per program; one thread.
#pragma once

#include <chrono>

#include "adapters/socket/client.h"

namespace luzia {

/// The exit code of a program ended by a signal is this plus the signal number, as in shells.
inline constexpr int kSignalBase = 128;

/// If `code` is the exit code of the signal that StopSignals took last, ends the process by that signal; else
/// returns. Shells stop a script on Ctrl-C only if the running program died of the signal.
void end_as_stopped(int code);

/// What ended a wait.
enum class Woken { readable, interrupted, resized, timeout };

class Signals {
 public:
  /// While the object exists, SIGINT, SIGTERM and SIGWINCH are reported only by wait().
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// Waits until the client may have received something, a signal arrives or the time is over (negative: no
  /// limit).
  Woken wait(Client& client, std::chrono::milliseconds timeout) const;
  /// The signal of the last `interrupted`.
  int last_signal() const { return last_signal_; }

 private:
  int fd_ = -1;
  mutable int last_signal_ = 0;
};

/// Receives SIGINT, SIGTERM and SIGHUP through a descriptor. One object per program, and not together with
/// Signals. Signals that the program was started to ignore (nohup, a script's background job) stay ignored.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Readable once a signal has arrived.
  int fd() const { return fd_; }
  /// Returns and removes the signal that arrived; 0: none.
  int take() const;
  /// Waits until the client may have received something (returns 0) or a signal arrives (returns it).
  int wait(Client& client) const;
  /// The next frame; nullptr after `timeout` (negative: no limit) or if a signal arrived first: see take().
  Result<const wire::ServerFrame*> receive(Client& client, std::chrono::milliseconds timeout) const;
  /// Waits until the client, which has asked for a Follow, receives an event (returns 0) or a signal arrives
  /// (returns it).
  Result<int> wait_for_event(Client& follower) const;

 private:
  int fd_ = -1;
};

}  // namespace luzia
