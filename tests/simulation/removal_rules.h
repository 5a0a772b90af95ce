// What the log must keep of jobs that people remove, and the command that removes one.
#pragma once

#include <map>
#include <set>
#include <string>

#include "engine/core/engine.h"
#include "tests/simulation/dice.h"
#include "tests/simulation/flow_rules.h"

namespace luzia::test {

class RemovalRules {
 public:
  /// `job` as it was before the event. The broken rule in words, or empty.
  std::string take(const schema::Event& event, const JobState& job, const FlowRules& flows);
  /// The removal of that job, as its events up to now make it.
  RemoveJob command(Dice& dice, const JobState& job) const;
  std::uint64_t removals() const { return removals_; }
  std::uint64_t erased() const { return erased_; }

 private:
  using Text = std::pair<Position, std::uint32_t>;

  std::string removed(const schema::JobRemoved& fact, const JobState& job, const FlowRules& flows);

  std::map<std::string, std::set<Text>> texts_;  // by job: those that no BlobErased tells of
  std::set<std::string> purged_;
  std::uint64_t removals_ = 0, erased_ = 0;
};

}  // namespace luzia::test
