// What people of the simulation learn, and the rules that the log must keep about it: nothing is said of a
// solution or fact that is not there, a trial counts once, and the trust in a solution is what its trials
// make it.
#pragma once

#include <map>
#include <set>
#include <string>

#include "engine/core/engine.h"
#include "tests/simulation/dice.h"

namespace luzia::test {

LearningOrder random_learning_order(Dice& dice, std::string& words);

class LearningRules {
 public:
  /// The broken rule in words, or empty.
  std::string take(const schema::Event& event);
  /// Whether there ever was such a solution.
  bool knows(const std::string& solution) const { return lessons_.contains(solution_stream(solution)); }
  std::size_t trials() const { return trials_.size(); }

 private:
  std::map<std::string, Lesson> lessons_;
  std::set<std::pair<std::string, std::string>> trials_;  // stream and command
};

}  // namespace luzia::test
