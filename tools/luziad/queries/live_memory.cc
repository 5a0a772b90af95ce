#include "tools/luziad/queries/live_memory.h"

namespace luzia {

std::shared_ptr<const LiveMemory::ByJob> LiveMemory::Look::take() const {
  auto found = std::make_shared<ByJob>();
  const auto used = resident_kib(trees);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (used[i] > 0) found->emplace(jobs[i], used[i]);
  }
  return found;
}

LiveMemory::Look LiveMemory::begin(const std::vector<const JobState*>& running) {
  Look look;
  for (const JobState* job : running) {
    const bool tracked = job->tracked;  // nobody started it: its process is all there is
    const std::uint32_t root = tracked ? job->pid : job->runner_pid;
    if (root == 0) continue;
    look.jobs.push_back(job->job);
    look.trees.push_back({static_cast<pid_t>(root), tracked ? job->pid_start : job->runner_start, tracked});
  }
  looking_ = true;
  return look;
}

void LiveMemory::looked(std::shared_ptr<const ByJob> found, TimeUs now) {
  looking_ = false;
  last_ = now;
  known_ = std::move(found);
}

}  // namespace luzia
