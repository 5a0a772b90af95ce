// When to look at the files of a job again: at most one moment per job, one timer for all. Loop thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "tools/luziad/base/loop.h"

namespace luzia {

class DueLooks {
 public:
  DueLooks(uv_loop_t* loop, std::function<void(const std::string& job)> look)
      : look_(std::move(look)), timer_(std::make_unique<Timer>(loop)) {}

  /// Looks after `wait`, or earlier if that is due already.
  void look_soon(const std::string& job, TimeUs wait);
  void forget(const std::string& job) { due_.erase(job); }
  /// Nothing may be asked for afterwards.
  void close();

 private:
  void fire();

  std::function<void(const std::string& job)> look_;
  std::map<std::string, TimeUs> due_;  // monotonic
  std::unique_ptr<Timer> timer_;       // null once closed
};

}  // namespace luzia
