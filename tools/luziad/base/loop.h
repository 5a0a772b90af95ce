// Small faces over libuv for the daemon: work on other threads, messages to the loop, one timer. Loop thread
// but where a function says otherwise.
#pragma once

#include <uv.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/base/time.h"

namespace luzia {

/// Wall time, microseconds since 1970 UTC; and a clock that only moves forward.
TimeUs wall_now();
TimeUs monotonic_now();

/// Functions sent to the loop from any thread, run there in order.
class Mailbox {
 public:
  explicit Mailbox(uv_loop_t* loop);
  ~Mailbox();
  /// Any thread. After close() what is posted is dropped.
  void post(std::function<void()> message);
  /// post(), for a thread that may outlive this object.
  std::function<void(std::function<void()> message)> poster() const;
  void close();

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

/// Runs `work` on a worker thread, then `then` on the loop.
class Workers {
 public:
  explicit Workers(uv_loop_t* loop) : loop_(loop) {}
  void run(std::function<void()> work, std::function<void()> then);
  std::size_t busy() const { return busy_; }

 private:
  struct Task;
  uv_loop_t* loop_;
  std::size_t busy_ = 0;
};

/// Runs `work` on a thread of its own that nobody waits for, where it may sleep in the kernel for good: a
/// network mount that is gone does that to it. It may outlive everybody, and ends with the process. False: no
/// thread can be made just now.
bool run_aside(std::function<void()> work);

/// Only processor time and disk that nobody else wants go to this thread, and to those that it starts.
void give_way_to_others();

/// One-shot timer.
class Timer {
 public:
  explicit Timer(uv_loop_t* loop);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  void start(std::uint64_t after_ms, std::function<void()> then);
  void stop();
  bool running() const;

 private:
  struct State;
  State* state_;  // freed by libuv's close callback
};

/// Tells once when the process behind a pidfd has ended. Closes the fd.
class ProcessWatch {
 public:
  ProcessWatch(uv_loop_t* loop, int pidfd, std::function<void()> gone);
  ~ProcessWatch();
  ProcessWatch(const ProcessWatch&) = delete;
  ProcessWatch& operator=(const ProcessWatch&) = delete;

 private:
  struct State;
  State* state_;
};

}  // namespace luzia
