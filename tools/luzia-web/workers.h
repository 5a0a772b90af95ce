// A few threads for what waits for the daemon, so that the loop of the server never does. Any thread may add
// work; a full queue refuses it instead of growing.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace luzia::web {

class Workers {
 public:
  Workers(std::size_t threads, std::size_t most_waiting);
  /// Waits for the work that has begun, and drops what has not.
  ~Workers();

  /// False: too much waits already.
  bool add(std::function<void()> work);

 private:
  void run();

  std::size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace luzia::web
