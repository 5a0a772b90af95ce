#include "tools/luziad/attempts/job_tasks.h"

#include <utility>

namespace luzia {

void JobTasks::run(const std::string& job, std::function<void()> work) {
  auto& queue = (*waiting_)[job];
  queue.push_back(std::move(work));
  if (queue.size() == 1) run_next(workers_, waiting_, job);
}

void JobTasks::run_next(Workers& workers, const std::weak_ptr<Waiting>& waiting, const std::string& job) {
  const auto jobs = waiting.lock();
  workers.run(std::move(jobs->at(job).front()), [&workers, waiting, job] {
    const auto left = waiting.lock();
    if (!left) return;
    auto& queue = left->at(job);
    queue.pop_front();
    if (queue.empty()) {
      left->erase(job);
    } else {
      run_next(workers, waiting, job);
    }
  });
}

}  // namespace luzia
