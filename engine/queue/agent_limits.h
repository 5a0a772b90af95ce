// Agents whose usage limit is reached, or whose login is refused: none of their jobs starts until the reset
// or a new login. An agent is parked when an attempt has ended by it, not when its output mentions it: only
// then is it certain that this stopped work. All of this follows from the log. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/time.h"
#include "engine/event/event.h"

namespace luzia {

class AgentLimits {
 public:
  /// The fact to record when an attempt of `agent` has ended by this limit; nullopt: the agent is already
  /// parked for that long.
  std::optional<schema::AgentParkedT> park(const std::string& agent, const schema::JobParkedT& parked,
                                           const std::string& job) const;
  /// The same for a refused login of an attempt that began at `began`; nullopt also if the agent is parked
  /// for its login already, or was let go on since: that login is not the present one.
  std::optional<schema::AgentParkedT> park_for_login(const std::string& agent, TimeUs began, TimeUs until,
                                                     const std::string& job) const;
  void parked(const schema::AgentParkedT& fact) {
    parked_[fact.agent] = fact;
    ++version_;
  }
  /// Another one after each change of what is parked.
  std::uint64_t version() const { return version_; }
  void unparked(const std::string& agent, TimeUs now);
  /// Moments from before do not compare any more.
  void clock_stepped() { let_go_on_.clear(); }

  bool is_parked(const std::string& agent) const { return parked_.contains(agent); }
  bool awaits_login(const std::string& agent) const;
  /// The facts of those that wait for a login.
  std::vector<schema::AgentParkedT> awaiting_login() const;
  /// nullopt: not parked.
  std::optional<TimeUs> parked_until(const std::string& agent) const;
  /// Agents whose limit has been reset by `now`.
  std::vector<std::string> due(TimeUs now) const;
  /// When due() next returns an agent; 0: never.
  TimeUs next_reset() const;
  /// The facts to record after the clock was stepped. A reset is a moment of the wall clock and stays, but
  /// none may be further away than kLongestLimit.
  std::vector<schema::AgentParkedT> cut(TimeUs now) const;

 private:
  std::map<std::string, schema::AgentParkedT> parked_;
  std::uint64_t version_ = 0;
  std::map<std::string, TimeUs> let_go_on_;  // when those that waited for a login last were, by this engine
};

}  // namespace luzia
