// How a call that waits for a person is told to wait no longer. Any thread.
#pragma once

#include <atomic>

namespace luzia::mcp {

enum class StopReason : int {
  none,
  cancelled,  // the client wants no answer any more: what was asked is withdrawn
  ended,      // the client is gone: what was asked stays as it is, its attempt's end decides about it
};

class CallStop {
 public:
  CallStop();
  ~CallStop();
  CallStop(const CallStop&) = delete;
  CallStop& operator=(const CallStop&) = delete;

  /// The first reason counts.
  void stop(StopReason reason);
  StopReason reason() const { return static_cast<StopReason>(reason_.load()); }
  bool stopped() const { return reason() != StopReason::none; }
  /// Readable from the stop on, for ever.
  int fd() const { return fd_; }

 private:
  std::atomic<int> reason_{static_cast<int>(StopReason::none)};
  int fd_;
};

}  // namespace luzia::mcp
