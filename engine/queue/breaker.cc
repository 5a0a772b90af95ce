#include "engine/queue/breaker.h"

#include <algorithm>

namespace luzia {
namespace {

/// Whether the outcome indicates a broken setup. Cancelled and stopped jobs do not, nor do failed
/// dependencies.
bool is_failure(const AttemptOutcome& outcome) {
  using schema::EndReason;
  if (outcome.state != schema::JobState::failed) return false;
  return outcome.reason == EndReason::exit_code || outcome.reason == EndReason::signal ||
         outcome.reason == EndReason::start_failed || outcome.reason == EndReason::preflight_failed ||
         outcome.reason == EndReason::agent_failed;
}

}  // namespace

std::optional<schema::BreakerOpenedT> Breakers::note(const AttemptOutcome& outcome, TimeUs now) {
  if (rules_.exempt_agents.contains(outcome.agent)) return std::nullopt;
  if (outcome.state == schema::JobState::completed) {
    failures_.erase(outcome.project);
    return std::nullopt;
  }
  if (rules_.failures == 0 || !is_failure(outcome) || outcome.ran >= rules_.quick) return std::nullopt;
  if (is_open(outcome.project)) return std::nullopt;  // it was already running when the breaker opened
  const std::uint32_t failures = ++failures_[outcome.project];
  if (failures < rules_.failures) return std::nullopt;
  return schema::BreakerOpenedT{{}, outcome.project, failures, now + rules_.pause};
}

void Breakers::opened(const schema::BreakerOpenedT& fact) {
  open_[fact.project] = fact;
}

void Breakers::closed(const std::string& project) {
  open_.erase(project);
  // On trial: the next quick failure opens it again.
  failures_[project] = rules_.failures == 0 ? 0 : rules_.failures - 1;
}

void Breakers::resumed(const std::string& project) {
  open_.erase(project);
  failures_.erase(project);
}

std::optional<TimeUs> Breakers::open_until(const std::string& project) const {
  const auto it = open_.find(project);
  return it == open_.end() ? std::nullopt : std::optional(it->second.until_us);
}

std::vector<std::string> Breakers::due(TimeUs now) const {
  std::vector<std::string> projects;
  for (const auto& [project, open] : open_) {
    if (open.until_us <= now) projects.push_back(project);
  }
  return projects;
}

TimeUs Breakers::next_closing() const {
  TimeUs next = 0;
  for (const auto& [project, open] : open_) next = next == 0 ? open.until_us : std::min(next, open.until_us);
  return next;
}

std::vector<schema::BreakerOpenedT> Breakers::shifted(TimeUs by) const {
  std::vector<schema::BreakerOpenedT> facts;
  for (const auto& [project, open] : open_) {
    facts.push_back(open);
    facts.back().until_us = std::max<TimeUs>(1, open.until_us + by);
  }
  return facts;
}

}  // namespace luzia
