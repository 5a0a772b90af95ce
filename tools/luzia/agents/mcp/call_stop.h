// Stops a call that waits for a person. Any thread.
#pragma once

#include <atomic>

namespace luzia::mcp {

enum class StopReason : int {
  none,
  cancelled,  // the client cancelled the call: its question or approval request is withdrawn
  ended,      // the client is gone: the request stays open until its attempt ends
};

class CallStop {
 public:
  CallStop();
  ~CallStop();
  CallStop(const CallStop&) = delete;
  CallStop& operator=(const CallStop&) = delete;

  /// Only the first call has an effect.
  void stop(StopReason reason);
  StopReason reason() const { return static_cast<StopReason>(reason_.load()); }
  bool stopped() const { return reason() != StopReason::none; }
  /// Becomes readable on stop() and stays so.
  int fd() const { return fd_; }

 private:
  std::atomic<int> reason_{static_cast<int>(StopReason::none)};
  int fd_;
};

}  // namespace luzia::mcp
