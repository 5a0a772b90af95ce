#include "tests/scenarios/capacity.h"

#include <map>
#include <string>

namespace luzia {
namespace {

/// Whether `key` is a daily budget; if so, sets it in `budgets`.
bool take_day_budget(const Step& step, const std::string& key, DayBudgets& budgets) {
  if (!key.starts_with("day_")) return false;
  const std::size_t dot = key.find('.');
  const std::string what = key.substr(4, dot == std::string::npos ? dot : dot - 4);
  DayBudget& budget = dot == std::string::npos ? budgets.all : budgets.of_project[key.substr(dot + 1)];
  if (what == "tokens") budget.tokens = step.number(key);
  if (what == "cost") budget.cost_usd = std::stod(step.value(key));
  if (what == "time") budget.time = static_cast<TimeUs>(step.duration_ms(key)) * kMillisecondUs;
  if (what == "stop") budget.stop_running = true;
  return true;
}

}  // namespace

Capacity capacity_of(const Step& step) {
  Capacity capacity{static_cast<std::uint32_t>(std::stoul(step.word(1)))};
  for (const auto& [key, value] : step.values) {
    const std::size_t dot = key.find('.');
    const std::string what = key.substr(0, dot), name = dot == std::string::npos ? "" : key.substr(dot + 1);
    if (take_day_budget(step, key, capacity.day_budgets)) continue;
    if (what == "ageing") {
      capacity.ageing = static_cast<TimeUs>(step.duration_ms(key)) * kMillisecondUs;
      continue;
    }
    if (what == "breaker") {
      capacity.breaker.failures = static_cast<std::uint32_t>(step.number(key));
      capacity.breaker.quick = 10 * kSecondUs;
      capacity.breaker.pause = kMinuteUs;
      continue;
    }
    if (what == "waiting_holds_slot") {
      capacity.waiting_holds_slot = value == "true";
      continue;
    }
    if (what == "spacing") {
      capacity.spacing[name] = static_cast<TimeUs>(step.duration_ms(key)) * kMillisecondUs;
      continue;
    }
    if (what == "no_breaker") {
      capacity.breaker.exempt_agents = {value};
      continue;
    }
    if (what == "closed" || what == "no_room") {
      (what == "closed" ? capacity.closed : capacity.no_room) = value;
      continue;
    }
    const auto number = static_cast<std::uint32_t>(step.number(key));
    const std::map<std::string, std::uint32_t*> limits = {{"per_project", &capacity.max_per_project},
                                                          {"per_agent", &capacity.max_per_agent},
                                                          {"project", &capacity.of_project[name]},
                                                          {"agent", &capacity.of_agent[name]},
                                                          {"tag", &capacity.of_tag[name]},
                                                          {"share", &capacity.share[name]}};
    *limits.at(what) = number;
    for (auto* single : {&capacity.of_project, &capacity.of_agent, &capacity.of_tag, &capacity.share})
      std::erase_if(*single, [](const auto& limit) { return limit.second == 0; });
  }
  return capacity;
}

}  // namespace luzia
