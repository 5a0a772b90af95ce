// The breaker of a project. Several quick failures in a row stop the project's jobs from starting for a
// while. So a broken setup (no login, full quota, missing tool) does not burn through the queue. After the
// pause one more quick failure opens it again. A job that completes, or a person who resumes the project,
// resets the count. Pure.
//
// Counts are only in memory: a new daemon starts at zero. An open breaker is in the log and stays open.
// Rejected: a fold over all ends. What counts as quick is configuration, and rows must follow from the log
// alone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/base/time.h"
#include "engine/event/event.h"

namespace luzia {

struct BreakerRules {
  std::uint32_t failures = 0;  // quick failures in a row that open it; 0: never
  TimeUs quick = 0;            // an attempt that failed sooner than this counts
  TimeUs pause = 0;            // how long it stays open
  /// Agents without a breaker: their failures do not count, and their jobs start while it is open.
  std::set<std::string> exempt_agents = {};
  bool operator==(const BreakerRules&) const = default;
};

/// How an attempt ended, whether or not the job is retried.
struct AttemptOutcome {
  std::string project;
  schema::JobState state;
  schema::EndReason reason;
  TimeUs ran;  // wall time without pauses
  std::string agent = {};
};

class Breakers {
 public:
  explicit Breakers(BreakerRules rules = {}) : rules_(std::move(rules)) {}
  void set_rules(BreakerRules rules) { rules_ = std::move(rules); }

  /// Counts the outcome. Returns the fact to record if this opens the breaker.
  std::optional<schema::BreakerOpenedT> note(const AttemptOutcome& outcome, TimeUs now);
  void opened(const schema::BreakerOpenedT& fact);
  /// The pause is over: the next quick failure opens the breaker again.
  void closed(const std::string& project);
  /// A person resumed the project, open or not: counting starts at zero.
  void resumed(const std::string& project);

  bool is_open(const std::string& project) const { return open_.contains(project); }
  /// Whether this project's breaker keeps the agent's jobs from starting.
  bool stops(const std::string& project, const std::string& agent) const {
    return is_open(project) && !rules_.exempt_agents.contains(agent);
  }
  /// nullopt: closed.
  std::optional<TimeUs> open_until(const std::string& project) const;
  /// Projects whose pause is over by `now`.
  std::vector<std::string> due(TimeUs now) const;
  /// When due() next returns a project; 0: never.
  TimeUs next_closing() const;
  /// The facts to record for open breakers after the clock was stepped by `by`.
  std::vector<schema::BreakerOpenedT> shifted(TimeUs by) const;

 private:
  BreakerRules rules_;
  std::map<std::string, std::uint32_t> failures_;  // in a row
  std::map<std::string, schema::BreakerOpenedT> open_;
};

}  // namespace luzia
