// The simulated people's solutions and facts, and the rules for them that the log must keep: events only
// refer to existing solutions and facts; a trial counts once; the confidence in a solution follows from its
// trials.
#pragma once

#include <map>
#include <set>
#include <string>

#include "engine/core/engine.h"
#include "tests/simulation/dice.h"

namespace luzia::test {

ToLearning random_learning_command(Dice& dice, std::string& words);

class LearningRules {
 public:
  /// Returns a description of the broken rule, or an empty string.
  std::string take(const schema::Event& event);
  /// Whether there ever was such a solution.
  /// A solution or a todo.
  bool knows(const std::string& id) const {
    return lessons_.contains(solution_stream(id)) || lessons_.contains(todo_stream(id));
  }
  std::size_t trials() const { return trials_.size(); }

 private:
  std::map<std::string, Lesson> lessons_;
  std::set<std::pair<std::string, std::string>> trials_;  // stream and command id
};

}  // namespace luzia::test
