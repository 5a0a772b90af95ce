// The breaker of a project: failures in a row that come quickly stop its jobs from starting for a while, so
// that a broken setup (no login, full quota, a missing tool) does not burn through the queue. After the
// pause one more such failure opens it again; a job that completes, or a person who resumes the project,
// forgets them. Pure.
//
// Counts live in memory only: a new daemon begins at none, but an open breaker is in the log and stays open.
// (Rejected: a fold over all ends. What counts as quick is configuration, and rows must follow from the log
// alone.)
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
  std::uint32_t failures = 0;  // so many in a row open it; 0: never
  TimeUs quick = 0;            // an attempt that failed sooner counts
  TimeUs pause = 0;            // how long it stays open
  /// Agents without a breaker: their ends do not count, and their jobs start while it is open.
  std::set<std::string> exempt_agents = {};
  bool operator==(const BreakerRules&) const = default;
};

/// How an attempt that was a job's last, or that is tried again, came to its end.
struct AttemptOutcome {
  std::string project;
  schema::JobState state;
  schema::EndReason reason;
  TimeUs ran;  // without its pauses
  std::string agent = {};
};

class Breakers {
 public:
  explicit Breakers(BreakerRules rules = {}) : rules_(std::move(rules)) {}
  void set_rules(BreakerRules rules) { rules_ = std::move(rules); }

  /// Counts the outcome. The fact to record if the breaker opens by it.
  std::optional<schema::BreakerOpenedT> note(const AttemptOutcome& outcome, TimeUs now);
  void opened(const schema::BreakerOpenedT& fact);
  /// Its pause is over: the project is on trial.
  void closed(const std::string& project);
  /// A person knows that its trouble is over, whether it was open or not: counting begins anew.
  void resumed(const std::string& project);

  bool is_open(const std::string& project) const { return open_.contains(project); }
  /// Whether jobs of this agent do not start in the project.
  bool stops(const std::string& project, const std::string& agent) const {
    return is_open(project) && !rules_.exempt_agents.contains(agent);
  }
  /// nullopt: closed.
  std::optional<TimeUs> open_until(const std::string& project) const;
  /// Projects whose pause is over.
  std::vector<std::string> due(TimeUs now) const;
  /// When due() next names one; 0 = never.
  TimeUs next_closing() const;
  /// What to record of the open ones when the clock has stepped.
  std::vector<schema::BreakerOpenedT> shifted(TimeUs by) const;

 private:
  BreakerRules rules_;
  std::map<std::string, std::uint32_t> failures_;  // in a row
  std::map<std::string, schema::BreakerOpenedT> open_;
};

}  // namespace luzia
