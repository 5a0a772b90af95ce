#include "engine/queue/agent_limits.h"

#include <algorithm>

#include "engine/job/job_ending.h"

namespace luzia {

std::optional<schema::AgentParkedT> AgentLimits::park(const std::string& agent,
                                                      const schema::JobParkedT& parked,
                                                      const std::string& job) const {
  const auto known = parked_until(agent);
  if (known && *known >= parked.until_us) return std::nullopt;
  return schema::AgentParkedT{{}, agent, parked.until_us, parked.limit, job};
}

std::optional<schema::AgentParkedT> AgentLimits::park_for_login(const std::string& agent, TimeUs began,
                                                                TimeUs until, const std::string& job) const {
  const auto let_go_on = let_go_on_.find(agent);
  const bool is_earlier = let_go_on != let_go_on_.end() && began < let_go_on->second;
  if (is_earlier || awaits_login(agent)) return std::nullopt;
  return park(agent, schema::JobParkedT{{}, until, kLoginLimit}, job);
}

void AgentLimits::unparked(const std::string& agent, TimeUs now) {
  if (awaits_login(agent)) let_go_on_[agent] = now;
  parked_.erase(agent);
  ++version_;
}

bool AgentLimits::awaits_login(const std::string& agent) const {
  const auto it = parked_.find(agent);
  return it != parked_.end() && it->second.limit == kLoginLimit;
}

std::vector<schema::AgentParkedT> AgentLimits::awaiting_login() const {
  std::vector<schema::AgentParkedT> facts;
  for (const auto& [agent, fact] : parked_) {
    if (fact.limit == kLoginLimit) facts.push_back(fact);
  }
  return facts;
}

std::optional<TimeUs> AgentLimits::parked_until(const std::string& agent) const {
  const auto it = parked_.find(agent);
  return it == parked_.end() ? std::nullopt : std::optional<TimeUs>(it->second.until_us);
}

std::vector<std::string> AgentLimits::due(TimeUs now) const {
  std::vector<std::string> agents;
  for (const auto& [agent, fact] : parked_) {
    if (fact.until_us <= now) agents.push_back(agent);
  }
  return agents;
}

TimeUs AgentLimits::next_reset() const {
  TimeUs next = 0;
  for (const auto& [agent, fact] : parked_) next = next == 0 ? fact.until_us : std::min(next, fact.until_us);
  return next;
}

std::vector<schema::AgentParkedT> AgentLimits::cut(TimeUs now) const {
  std::vector<schema::AgentParkedT> facts;
  for (const auto& [agent, fact] : parked_) {
    const TimeUs until = bounded_limit(fact.until_us, now);
    if (until == fact.until_us) continue;
    facts.push_back(fact);
    facts.back().until_us = until;
  }
  return facts;
}

}  // namespace luzia
