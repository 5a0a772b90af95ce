// Runs blocking work about jobs on worker threads: sequentially for one job, in parallel for different jobs.
// So a resume never overtakes the preceding pause. Loop thread.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "tools/luziad/base/loop.h"

namespace luzia {

class JobTasks {
 public:
  explicit JobTasks(Workers& workers) : workers_(workers) {}

  /// Runs `work` on a worker after all earlier work of `job`. The destructor drops waiting work; running work
  /// completes.
  void run(const std::string& job, std::function<void()> work);

 private:
  using Waiting = std::map<std::string, std::deque<std::function<void()>>>;

  static void run_next(Workers& workers, const std::weak_ptr<Waiting>& waiting, const std::string& job);

  Workers& workers_;
  /// One entry per job with work; the first in its queue is running.
  std::shared_ptr<Waiting> waiting_ = std::make_shared<Waiting>();
};

}  // namespace luzia
