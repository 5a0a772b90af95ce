// A few threads for what waits for the daemon, so that the loop of the server never does. Any thread may add
// work; a full queue refuses it instead of growing. Nobody gets more than half of the threads and a quarter
// of the queue, so that one device whose requests take long does not keep the others waiting.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace luzia::web {

class Workers {
 public:
  Workers(std::size_t threads, std::size_t most_waiting);
  /// Waits for the work that has begun, and drops what has not.
  ~Workers();

  /// `who` asks for it; empty: the server itself. False: too much waits already.
  bool add(const std::string& who, std::function<void()> work);

 private:
  struct Task {
    std::string who;
    std::function<void()> work;
  };
  void run();
  /// The first whose asker has threads left.
  std::deque<Task>::iterator next();

  std::size_t most_waiting_, most_of_one_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> waiting_;
  std::map<std::string, std::size_t> running_;  // by who asks
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace luzia::web
