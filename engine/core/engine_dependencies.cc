// The engine and jobs that wait for other jobs (--after): who waits for whom, and who is told of an end.
#include "engine/core/engine.h"

namespace luzia {

void Engine::await_dependencies(const JobState& job, TimeUs now) {
  const std::vector<std::string> after = job.after;  // being told changes it
  for (const std::string& dependency : after) {
    dependants_[dependency].insert(job.job);
    // A retried job may wait for one that ended while it was not waiting: that end will not come again.
    const JobState* live = find_live(dependency);
    schema::JobState state = live != nullptr ? live->state : schema::JobState::none;
    if (live == nullptr) {
      if (const auto loaded = history_.load_job(dependency); loaded && *loaded) state = (*loaded)->state;
    }
    if (is_terminal(state)) tell_dependants({dependency, state, job.lifecycle_position, now});
  }
}

/// What is told may end the job that hears it, whose own dependants come next: a queue, since a chain may be
/// longer than the stack is deep.
void Engine::tell_dependants(DependencyOver over) {
  if (!dependants_.contains(over.job)) return;
  overs_to_tell_.push_back(std::move(over));
  if (telling_) return;
  telling_ = true;
  while (!overs_to_tell_.empty()) {
    const DependencyOver next = std::move(overs_to_tell_.front());
    overs_to_tell_.pop_front();
    const auto waiting = dependants_.extract(next.job);
    if (waiting.empty()) continue;
    for (const std::string& dependant : waiting.mapped()) {
      order_internally(dependant, ReportDependency{next.job, next.state}, next.now, next.cause);
    }
  }
  telling_ = false;
}

}  // namespace luzia
