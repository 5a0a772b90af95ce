#include "engine/core/dependants.h"

#include <algorithm>
#include <utility>

namespace luzia {

void Dependants::load(const JobState& job) {
  for (const std::string& dependency : job.after) waiting_[dependency].insert(job.job);
}

void Dependants::resume(TimeUs now) {
  std::vector<std::string> dependencies;
  dependencies.reserve(waiting_.size());
  for (const auto& [dependency, waiting] : waiting_) dependencies.push_back(dependency);
  for (const std::string& dependency : dependencies) {
    if (jobs_.find(dependency) != nullptr) continue;
    const auto job = history_.load_job(dependency);
    if (job && *job && is_terminal((*job)->state)) report({dependency, (*job)->state, (*job)->position, now});
  }
}

Result<std::vector<std::string>> Dependants::open_ones(const std::vector<std::string>& after) const {
  std::vector<std::string> open;
  for (const std::string& id : after) {
    const schema::JobState state = LUZIA_TRY(jobs_.state_of(id));
    if (state == schema::JobState::none) {
      return fail(ErrorKind::not_found, "no_such_job",
                  "cannot wait for job '" + id + "': there is no such job");
    }
    if (state == schema::JobState::completed) continue;
    if (is_terminal(state)) {
      return fail(
          ErrorKind::refused, "dependency_failed",
          "cannot wait for job " + id + ": it has ended already and is " + schema::EnumNameJobState(state),
          "luzia retry " + id + " runs it again");
    }
    if (std::ranges::find(open, id) == open.end()) open.push_back(id);
  }
  return open;
}

void Dependants::await(const JobState& job, TimeUs now) {
  const std::vector<std::string> after = job.after;  // a copy: reporting a dependency changes it
  for (const std::string& dependency : after) {
    waiting_[dependency].insert(job.job);
    // A retried job may wait for one that ended in the meantime: that end will not be reported again.
    const auto state = jobs_.state_of(dependency);
    if (state && is_terminal(*state)) report({dependency, *state, job.lifecycle_position, now});
  }
}

void Dependants::report(Over over) {
  if (!waiting_.contains(over.job)) return;
  to_report_.push_back(std::move(over));
  if (reporting_) return;
  reporting_ = true;
  while (!to_report_.empty()) {
    const Over next = std::move(to_report_.front());
    to_report_.pop_front();
    const auto waiting = waiting_.extract(next.job);
    if (waiting.empty()) continue;
    for (const std::string& dependant : waiting.mapped()) {
      report_(dependant, ReportDependency{next.job, next.state}, next.now, next.cause);
    }
  }
  reporting_ = false;
}

}  // namespace luzia
