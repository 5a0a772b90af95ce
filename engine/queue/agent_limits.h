// Agents whose usage limit is reached: none of their jobs starts until the reset. An agent is parked when an
// attempt has ended by the limit, not when the limit is read in its output: then it is certain that it kept
// work from being done. All of it is in the log. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/time.h"
#include "engine/event/event.h"

namespace luzia {

class AgentLimits {
 public:
  /// The fact to record when an attempt of `agent` has ended by this limit; nullopt: it is parked that long.
  std::optional<schema::AgentParkedT> park(const std::string& agent, const schema::JobParkedT& parked,
                                           const std::string& job) const;
  void parked(const schema::AgentParkedT& fact) { parked_[fact.agent] = fact; }
  void unparked(const std::string& agent) { parked_.erase(agent); }

  bool is_parked(const std::string& agent) const { return parked_.contains(agent); }
  /// nullopt: not parked.
  std::optional<TimeUs> parked_until(const std::string& agent) const;
  /// Agents whose limit is reset.
  std::vector<std::string> due(TimeUs now) const;
  /// When due() next names one; 0 = never.
  TimeUs next_reset() const;
  /// What to record when the clock has stepped: a reset is by the clock and stands, but none is further away
  /// than kLongestLimit.
  std::vector<schema::AgentParkedT> cut(TimeUs now) const;

 private:
  std::map<std::string, schema::AgentParkedT> parked_;
};

}  // namespace luzia
