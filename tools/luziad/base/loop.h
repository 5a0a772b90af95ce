// Thin wrappers of libuv for the daemon: work on other threads, messages to the loop, timers. Loop thread
// except where noted.
#pragma once

#include <uv.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

#include "engine/base/time.h"

namespace luzia {

/// Wall time in microseconds since 1970 UTC; and a clock that never goes back.
TimeUs wall_now();
TimeUs monotonic_now();

/// Functions posted to the loop from any thread, which run there in order.
class Mailbox {
 public:
  explicit Mailbox(uv_loop_t* loop);
  ~Mailbox();
  /// Any thread. After close(), messages are dropped.
  void post(std::function<void()> message);
  /// post() as a function, for a thread that may outlive this object.
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

/// The loop and the threads beside it. Owned by Daemon.
struct Threads {
  uv_loop_t* loop;
  Workers& workers;
  Mailbox& mailbox;
  std::stop_token stopping;  // long work on workers checks it, and ends early
};

/// Runs `work` on a separate thread that nobody waits for. It may sleep in the kernel indefinitely, for
/// example on a network mount that is gone. It may outlive every object, and ends with the process. False: no
/// thread can be created right now.
bool run_aside(std::function<void()> work);

/// Lowers the CPU and disk priority of this thread, and of threads that it starts, to idle.
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

/// Calls `gone` once, when the process behind a pidfd has ended. Closes the descriptor.
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
