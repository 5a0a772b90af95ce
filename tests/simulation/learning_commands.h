// What people of the simulation learn, and the rules that the log must keep about it: nothing is said of a
// solution or fact that is not there, and the trust in a solution is what its trials make it.
#pragma once

#include <map>
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

 private:
  std::map<std::string, Lesson> lessons_;
};

}  // namespace luzia::test
