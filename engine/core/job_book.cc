#include "engine/core/job_book.h"

namespace luzia {

const JobState& JobBook::load(JobState&& job) {
  const std::string id = job.job;
  return jobs_.insert_or_assign(jobs_.end(), id, std::move(job))->second;  // rows come in order
}

const JobState* JobBook::find(std::string_view job) const {
  const auto it = jobs_.find(job);
  return it == jobs_.end() ? nullptr : &it->second;
}

Result<schema::JobState> JobBook::state_of(const std::string& job) const {
  if (const JobState* live = find(job)) return live->state;
  const auto loaded = LUZIA_TRY(history_.load_job(job));
  return loaded ? loaded->state : schema::JobState::none;
}

Result<JobState*> JobBook::to_change(const std::string& job) {
  if (auto it = jobs_.find(job); it != jobs_.end()) return &it->second;
  auto loaded = LUZIA_TRY(history_.load_job(job));
  if (!loaded) {
    return fail(ErrorKind::not_found, "no_such_job", "no job '" + job + "'", "luzia jobs --all lists them");
  }
  ended_.emplace_front(loaded->position, job);
  return &jobs_.insert_or_assign(job, std::move(*loaded)).first->second;
}

std::pair<JobState*, bool> JobBook::add(const std::string& job) {
  const std::size_t before = jobs_.size();
  // Ids grow: a new one usually goes to the end.
  JobState& added = jobs_.try_emplace(jobs_.end(), job)->second;
  return {&added, jobs_.size() > before};
}

void JobBook::drop(const std::vector<std::string>& added) {
  for (const std::string& job : added) jobs_.erase(job);
}

std::vector<std::string> JobBook::views_reached(Position cursor) {
  std::vector<std::string> forgotten;
  std::size_t left = ended_.size();
  while (left-- > 0 && !ended_.empty() && ended_.front().first <= cursor) {
    auto [position, id] = std::move(ended_.front());
    ended_.pop_front();
    const auto it = jobs_.find(id);
    if (it == jobs_.end() || !is_terminal(it->second.state)) continue;
    if (it->second.position > cursor) {
      ended_.emplace_back(it->second.position, id);
      continue;
    }
    jobs_.erase(it);
    forgotten.push_back(std::move(id));
  }
  return forgotten;
}

}  // namespace luzia
