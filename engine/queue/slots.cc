#include "engine/queue/slots.h"

namespace luzia {
namespace {

void change(std::map<std::string, std::uint32_t>& counts, const std::string& name, int by) {
  const auto it = counts.try_emplace(name, 0).first;
  it->second += static_cast<std::uint32_t>(by);
  if (it->second == 0) counts.erase(it);
}

}  // namespace

void SlotTally::add(const RunningJob& running, int by) {
  all += static_cast<std::size_t>(by);
  change(projects, running.project, by);
  change(agents, running.agent, by);
  for (const std::string& tag : running.tags) change(tags, tag, by);
}

void Slots::set_waiting_holds_slot(bool holds_slot) {
  waiting_holds_slot_ = holds_slot;
  tally_ = {};
  visit([this](const std::string&, const RunningJob& running) { tally_.add(running, 1); });
}

void Slots::note(const JobState& job) {
  const auto it = running_.find(job.job);
  const bool runs = has_process(job), waits = job.state == schema::JobState::waiting;
  if (it == running_.end() ? !runs : runs && it->second.waits == waits) return;
  if (it != running_.end()) {
    if (holds(it->second)) tally_.add(it->second, -1);
    running_.erase(it);
  }
  if (!runs) return;
  const auto& added =
      running_.emplace(job.job, RunningJob{job.spec->project, job.spec->agent, job.spec->tags, waits});
  if (holds(added.first->second)) tally_.add(added.first->second, 1);
}

}  // namespace luzia
