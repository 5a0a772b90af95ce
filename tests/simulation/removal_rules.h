// The rules for removed jobs that the log must keep, and the command that removes a job.
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
  /// `job`: its state before the event. Returns a description of the broken rule, or an empty string.
  std::string take(const schema::Event& event, const JobState& job, const FlowRules& flows);
  /// The command that removes the job in its present state.
  RemoveJob command(Dice& dice, const JobState& job) const;
  std::uint64_t removals() const { return removals_; }
  std::uint64_t erased() const { return erased_; }
  std::uint64_t expired() const { return expired_; }

 private:
  using Text = std::pair<Position, std::uint32_t>;

  std::string removed(const schema::JobRemoved& fact, const JobState& job, const FlowRules& flows);
  std::string expired(const schema::FilesExpired& fact, const JobState& job);

  std::map<std::string, std::set<Text>> texts_;  // by job: the texts without a BlobErased event
  std::set<std::string> purged_, without_directory_;
  std::uint64_t removals_ = 0, erased_ = 0, expired_ = 0;
};

}  // namespace luzia::test
