#include "tests/simulation/removal_rules.h"

#include <algorithm>

#include "engine/log/event_texts.h"

namespace luzia::test {

std::string RemovalRules::removed(const schema::JobRemoved& fact, const JobState& job,
                                  const FlowRules& flows) {
  ++removals_;
  if (!is_terminal(job.state)) return "job " + job.job + " is removed and has not ended";
  if (job.removed && (!fact.purged() || purged_.contains(job.job))) {
    return "job " + job.job + " is removed once more";
  }
  if (fact.purged()) purged_.insert(job.job);
  const auto flow = flows.flows().find(job.spec->flow);
  if (flow == flows.flows().end() || flow->second.state != view::FlowState::active) return {};
  const bool told_of = std::ranges::any_of(flow->second.steps, [&](const auto& step) {
    return step->name == job.spec->step && step->job == job.job;
  });
  return told_of ? "job " + job.job + " is removed while its flow goes on" : std::string();
}

std::string RemovalRules::expired(const schema::FilesExpired& fact, const JobState& job) {
  ++expired_;
  if (!is_terminal(job.state)) return "files of job " + job.job + " expire and it has not ended";
  if (job.removed) return "files of job " + job.job + " expire and it is removed";
  if (without_directory_.contains(job.job)) return "files of job " + job.job + " expire once more";
  if (fact.files() == schema::KeptFiles::directory) without_directory_.insert(job.job);
  return {};
}

std::string RemovalRules::take(const schema::Event& event, const JobState& job, const FlowRules& flows) {
  const std::string name(job_of_stream(text(event.stream())));
  for (const auto* text : texts_of(event)) texts_[name].emplace(event.position(), text->index());
  if (const auto* system = event.payload_as_SystemEvent()) {
    if (const auto* files = system->fact_as_FilesExpired()) return expired(*files, job);
    const auto* fact = system->fact_as_BlobErased();
    if (fact == nullptr) return "an event of the system in the stream of job " + name;
    ++erased_;
    if (!purged_.contains(name)) return "a text of job " + name + " is erased and it is not purged";
    if (texts_[name].erase({fact->position(), fact->index()}) == 1) return {};
    return "a text of job " + name + " is erased twice, or is none of its own";
  }
  const auto* life = event.payload_as_JobEvent();
  if (life == nullptr) return {};
  if (const auto* fact = life->fact_as_JobRemoved()) return removed(*fact, job, flows);
  if (life->fact_as_AttemptStarting() != nullptr && without_directory_.contains(name))
    return "job " + name + " starts without its directory, which expired";
  const bool goes_on = job.removed && life->fact_as_ExitRecordLate() == nullptr;
  return goes_on ? "job " + name + " goes on after its removal" : std::string();
}

RemoveJob RemovalRules::command(Dice& dice, const JobState& job) const {
  RemoveJob remove{dice.one_in(2), "tidy up"};
  remove.seen_version = job.version;
  const auto texts = texts_.find(job.job);
  if (texts == texts_.end()) return remove;
  for (const auto& [position, index] : texts->second) remove.texts.push_back({position, index});
  return remove;
}

}  // namespace luzia::test
