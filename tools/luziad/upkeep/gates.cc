#include "tools/luziad/upkeep/gates.h"

#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>

#include "engine/base/whole_number.h"

namespace luzia {
namespace {

std::string one_decimal(double number) {
  char text[32];
  snprintf(text, sizeof text, "%.1f", number);
  return text;
}

std::optional<double> read_load(const std::string& proc) {
  std::ifstream in(proc + "/loadavg");
  std::string word;
  return in >> word ? leading_number<double>(word) : std::nullopt;
}

std::optional<double> read_free_memory(const std::string& proc) {
  std::ifstream in(proc + "/meminfo");
  double total = 0, available = -1;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string name;
    double kib = 0;
    if (!(words >> name >> kib)) continue;
    if (name == "MemTotal:") total = kib;
    if (name == "MemAvailable:") available = kib;
  }
  return total > 0 && available >= 0 ? std::optional(100 * available / total) : std::nullopt;
}

std::optional<double> read_memory_pressure(const std::string& proc) {
  constexpr std::string_view kTenSeconds = "avg10=";
  std::ifstream in(proc + "/pressure/memory");
  std::string kind, average;
  if (!(in >> kind >> average) || kind != "some" || !average.starts_with(kTenSeconds)) return std::nullopt;
  return leading_number<double>(average.substr(kTenSeconds.size()));
}

/// Closes above `limit`, opens below nine tenths of it.
bool is_closed(bool closed, double value, double limit) {
  return value > (closed ? 0.9 * limit : limit);
}

DayBudget day_budget_of(const DayBudgetConfig& budget) {
  return {budget.tokens, budget.cost_usd, static_cast<TimeUs>(budget.time_ms) * kMillisecondUs,
          budget.stop_running};
}

}  // namespace

MachineLoad read_machine_load(const std::string& proc) {
  return {read_load(proc), read_free_memory(proc), read_memory_pressure(proc)};
}

Capacity capacity_of(const Config& config) {
  Capacity capacity;
  const std::uint32_t cores = std::max(1U, std::thread::hardware_concurrency());
  capacity.max_running = config.queue.max_running != 0 ? config.queue.max_running : 2 * cores;
  capacity.max_per_project = config.queue.max_per_project;
  capacity.max_per_agent = config.queue.max_per_agent;
  capacity.of_tag = config.queue.tags;
  capacity.waiting_holds_slot = config.queue.waiting_holds_slot;
  capacity.ageing = static_cast<TimeUs>(config.queue.ageing_ms) * kMillisecondUs;
  capacity.breaker = {config.retry.breaker_failures,
                      static_cast<TimeUs>(config.retry.breaker_quick_ms) * kMillisecondUs,
                      static_cast<TimeUs>(config.retry.breaker_pause_ms) * kMillisecondUs};
  for (const auto& [name, project] : config.projects) {
    if (project.max_running != 0) capacity.of_project[name] = project.max_running;
    if (project.share != 1) capacity.share[name] = project.share;
    if (const DayBudget budget = day_budget_of(project.budgets); budget.any())
      capacity.day_budgets.of_project[name] = budget;
  }
  capacity.day_budgets.all = day_budget_of(config.budgets.day);
  for (const auto& [name, agent] : config.agents) {
    if (agent.max_running != 0) capacity.of_agent[name] = agent.max_running;
    if (agent.start_spacing_ms != 0)
      capacity.spacing[name] = static_cast<TimeUs>(agent.start_spacing_ms) * kMillisecondUs;
    if (!agent.breaker) capacity.breaker.exempt_agents.insert(name);
  }
  return capacity;
}

bool Gates::any(const Config& config) {
  return config.queue.max_load > 0 || config.queue.min_free_memory_percent > 0 ||
         config.queue.max_memory_pressure_percent > 0;
}

std::string Gates::closed(const Config& config, const MachineLoad& now) {
  const auto& limits = config.queue;
  load_ = limits.max_load > 0 && now.load && is_closed(load_, *now.load, limits.max_load);
  const double used = 100 - now.free_memory_percent.value_or(100);
  const double may_be_used = 100 - limits.min_free_memory_percent;
  memory_ = limits.min_free_memory_percent > 0 && is_closed(memory_, used, may_be_used);
  pressure_ = limits.max_memory_pressure_percent > 0 && now.memory_pressure_percent &&
              is_closed(pressure_, *now.memory_pressure_percent, limits.max_memory_pressure_percent);
  if (load_)
    return "the load average is " + one_decimal(*now.load) + ", over " + one_decimal(limits.max_load);
  if (memory_)
    return one_decimal(*now.free_memory_percent) + " % of the memory is free, less than " +
           std::to_string(limits.min_free_memory_percent) + " %";
  if (pressure_)
    return "work waits for memory " + one_decimal(*now.memory_pressure_percent) + " % of the time, over " +
           one_decimal(limits.max_memory_pressure_percent) + " %";
  return "";
}

}  // namespace luzia
