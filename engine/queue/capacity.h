// The limits of the queue: how many jobs run at once, and the rules of what stops them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "engine/queue/breaker.h"
#include "engine/queue/day_budgets.h"

namespace luzia {

/// Limits of what runs at once. A limit counts attempts with a process, including starting ones; with
/// `waiting_holds_slot` also those that wait for a person. 0: no limit, except for max_running. An attempt
/// that gets its answer continues at once, even beyond the limit; then nothing new starts until fewer run
/// than the limit.
struct Capacity {
  std::uint32_t max_running = 2;
  std::uint32_t max_per_project = 0, max_per_agent = 0;
  /// Limits of single projects, agents and tags, which replace the general limit.
  std::map<std::string, std::uint32_t> of_project = {}, of_agent = {}, of_tag = {};
  /// Shortest time between two starts of an agent, so that its attempts do not renew one login at once.
  std::map<std::string, TimeUs> spacing = {};
  bool waiting_holds_slot = true;
  std::map<std::string, std::uint32_t> share = {};  // a project's weight against others, > 0; default 1
  TimeUs ageing = 0;                                // 0: jobs do not age
  BreakerRules breaker = {};
  DayBudgets day_budgets = {};
  std::string closed = {};   // why nothing starts at all; empty: open
  std::string no_room = {};  // the same if a disk has no space
  bool operator==(const Capacity&) const = default;
};

/// The limit of its own that `name` has, else the general one.
inline std::uint32_t limit_of(const std::map<std::string, std::uint32_t>& single, const std::string& name,
                              std::uint32_t general) {
  const auto it = single.find(name);
  return it == single.end() ? general : it->second;
}

}  // namespace luzia
