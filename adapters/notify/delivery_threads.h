// A small pool of threads that block on deliveries. They start when first needed, so a daemon without hooks
// has none. Owned and called by one thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace luzia {

class DeliveryThreads {
 public:
  /// Concurrent deliveries; further ones wait for their turn.
  static constexpr std::size_t kMost = 8;

  /// Asks running work to stop, waits for it, and drops work that has not begun.
  ~DeliveryThreads();
  /// Starts work in order. The token is the pool's own. Signals are blocked on its threads.
  void run(std::function<void(const std::stop_token&)> work);

 private:
  void serve();

  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<std::function<void(const std::stop_token&)>> waiting_;  // under mutex_
  std::size_t idle_ = 0;                                             // under mutex_
  std::vector<std::thread> threads_;
};

}  // namespace luzia
