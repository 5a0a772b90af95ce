// Blocking work about jobs on worker threads: in order for one job, side by side for different jobs. So that
// a resume never overtakes the pause before it. Loop thread.
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

  /// `work` runs on a worker once all earlier work of `job` has ended. What waits when this object goes is
  /// dropped; what runs then runs to its end.
  void run(const std::string& job, std::function<void()> work);

 private:
  using Waiting = std::map<std::string, std::deque<std::function<void()>>>;

  static void run_next(Workers& workers, const std::weak_ptr<Waiting>& waiting, const std::string& job);

  Workers& workers_;
  /// One entry per job with work; the first of its queue is the one that runs.
  std::shared_ptr<Waiting> waiting_ = std::make_shared<Waiting>();
};

}  // namespace luzia
