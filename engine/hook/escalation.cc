#include "engine/hook/escalation.h"

#include <algorithm>
#include <map>

namespace luzia {

std::vector<Escalation> escalations(const std::vector<EscalationRule>& rules, const OpenRequest& request) {
  if (request.deadline <= request.event.time) return {};
  const auto whole = static_cast<double>(request.deadline - request.event.time);
  const auto moment = [&](const EscalationRule& rule) {
    return request.event.time + static_cast<TimeUs>(whole * rule.after);
  };
  std::map<std::string, TimeUs> reached;
  const auto reach = [&reached](const std::string& name, TimeUs at) {
    const auto [it, is_new] = reached.try_emplace(name, at);
    if (!is_new && it->second <= at) return false;
    it->second = at;
    return true;
  };
  for (const EscalationRule& rule : rules) {
    if (!rule.to.empty() && concerns(rule.rule, request.event, request.project)) reach(rule.to, moment(rule));
  }
  // A chain is at most as long as there are names, and the configuration forbids cycles.
  for (std::size_t links = 0; links < rules.size(); ++links) {
    bool changed = false;
    for (const EscalationRule& rule : rules) {
      const auto told = reached.find(rule.rule.name);
      if (rule.to.empty() || told == reached.end()) continue;
      changed = reach(rule.to, std::max(told->second, moment(rule))) || changed;
    }
    if (!changed) break;
  }
  std::vector<Escalation> steps;
  for (const auto& [name, at] : reached) steps.push_back({name, at});
  std::stable_sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  return steps;
}

}  // namespace luzia
