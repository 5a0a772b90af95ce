// A store whose server is killed again and again: during any operation of its disk, at each named point of
// the commit path, or at any moment from outside. After each kill the store is held against what was
// acknowledged.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tests/simulation/dice.h"

namespace luzia::test {

/// Points of the commit path and of opening (engine/base/failpoint.h).
constexpr std::array<std::string_view, 6> kFailpoints = {"append.write", "append.written", "append.marked",
                                                         "commit.tell",  "open.found",     "open.recovered"};

class Kills {
 public:
  /// `program`: serve_until_killed. `store` is emptied and used.
  Kills(std::uint64_t seed, std::string program, const std::string& store);

  /// The rule that was broken, or empty.
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
    int after_answers = -1;  // then killed from outside
  };
  Manner choose();
  void serve_and_kill(const Manner& manner);
  void check();

  Dice dice_;
  std::string program_, store_;
  int acknowledged_ = 0;   // commands 0 to this, exclusive
  std::size_t known_ = 0;  // commands found in the log at the last look
  Counts counts_;
  std::vector<std::string> story_;
  std::string broken_;
};

}  // namespace luzia::test
