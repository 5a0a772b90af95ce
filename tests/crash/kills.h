// Kills the server of a store again and again: during any disk operation, at each failpoint of the commit
// path, or from outside at any moment. After each kill it compares the store with what was acknowledged.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tests/simulation/dice.h"

namespace luzia::test {

/// Failpoints of opening and of the commit path (engine/base/failpoint.h).
constexpr std::array<std::string_view, 6> kFailpoints = {"append.write", "append.written", "append.marked",
                                                         "commit.tell",  "open.found",     "open.recovered"};

class Kills {
 public:
  /// `program`: the path of serve_until_killed. `store` is emptied first.
  Kills(std::uint64_t seed, std::string program, const std::string& store);

  /// Returns the rule that was broken, or an empty string.
  std::string run(int kills);
  const std::vector<std::string>& story() const { return story_; }

  struct Counts {
    std::uint64_t kills = 0, at_operations = 0, at_failpoints = 0, from_outside = 0, acknowledged = 0,
                  unheard = 0;
    Counts& operator+=(const Counts& other);
  };
  const Counts& counts() const { return counts_; }

 private:
  struct Manner {
    std::string words;
    std::uint64_t operation = 0;
    std::string failpoint;
    int after_answers = -1;  // if >= 0: kill it from outside after so many answers
  };
  Manner choose();
  void serve_and_kill(const Manner& manner);
  void check();

  Dice dice_;
  std::string program_, store_;
  int acknowledged_ = 0;   // commands 0 to acknowledged_ - 1
  std::size_t known_ = 0;  // number of commands that the last check found in the log
  Counts counts_;
  std::vector<std::string> story_;
  std::string broken_;
};

}  // namespace luzia::test
