#include "adapters/memory/memory_history.h"

#include <algorithm>

namespace luzia {

void MemoryHistory::each_event(const std::function<void(const schema::Event&)>& visit) const {
  const auto cursor = log_.read_from(1);
  for (auto group = cursor->next(); group && *group; group = cursor->next()) {
    for (const schema::Event* event : (*group)->events()) visit(*event);
  }
}

Result<std::optional<History::Command>> MemoryHistory::find_command(std::uint32_t uid,
                                                                    const std::string& command_id) {
  std::optional<Command> found;
  each_event([&](const schema::Event& event) {
    const bool same = text(event.command_id()) == command_id && event.actor() && event.actor()->uid() == uid;
    if (!same) return;
    if (!found) {
      found.emplace();
      found->position = event.position();
      if (event.command_digest())
        std::copy(event.command_digest()->begin(), event.command_digest()->end(), found->digest.begin());
    }
    const std::string made(subject_of_stream(text(event.stream()), found->ids));
    if (!made.empty() && std::find(found->ids.begin(), found->ids.end(), made) == found->ids.end()) {
      found->ids.push_back(made);
    }
  });
  return found;
}

Result<std::optional<JobState>> MemoryHistory::load_job(const std::string& job) {
  auto jobs = all_jobs();
  const auto it = jobs.find(job);
  if (it == jobs.end()) return std::nullopt;
  return std::optional<JobState>(std::move(it->second));
}

Result<std::optional<Flow>> MemoryHistory::load_flow(const std::string& flow) {
  Flow state;
  each_event([&](const schema::Event& event) {
    if (flow_of_stream(text(event.stream())) == flow) evolve(state, event);
  });
  if (state.id.empty()) return std::nullopt;
  return std::optional<Flow>(std::move(state));
}

Result<Lesson> MemoryHistory::load_lesson(const std::string& stream) {
  Lesson lesson;
  each_event([&](const schema::Event& event) {
    if (text(event.stream()) == stream) evolve(lesson, event);
  });
  return lesson;
}

Result<std::uint64_t> MemoryHistory::stream_version(const std::string& stream) {
  std::uint64_t version = 0;
  each_event([&](const schema::Event& event) {
    if (text(event.stream()) == stream) version = event.version();
  });
  return version;
}

std::map<std::string, JobState> MemoryHistory::all_jobs() const {
  std::map<std::string, JobState> jobs;
  each_event([&](const schema::Event& event) {
    const std::string job(job_of_stream(text(event.stream())));
    if (!job.empty()) evolve(jobs[job], event);
  });
  return jobs;
}

}  // namespace luzia
