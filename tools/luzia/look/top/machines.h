// How other machines are, for a line and the last rows of luzia top. Each is asked in a process of its own,
// so the screen never waits for one. One thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tools/luzia/look/top/model.h"
#include "tools/read/machines_source.h"

namespace luzia {

constexpr std::chrono::milliseconds kTopMachinesEvery{5'000};    // from an answer to the next question
constexpr std::chrono::milliseconds kTopMachineSilence{2'000};   // until the line says so
constexpr std::chrono::milliseconds kTopMachineGivenUp{60'000};  // then it is reached anew

class TopMachines {
 public:
  using Clock = std::chrono::steady_clock;

  /// Of no machine.
  TopMachines() = default;
  explicit TopMachines(std::vector<MachineToAsk> machines);

  /// Takes the answers that have come and asks again where it is time to. Does not wait.
  void step(Clock::time_point now);
  /// "web1: 1 needs input, 3 working; db: idle; old: no answer for 12s"; empty: there are no machines.
  std::string text(Clock::time_point now) const;
  /// What those that have answered said last.
  std::vector<TopFar> seen(Clock::time_point now) const;

 private:
  struct Watched {
    MachineToAsk machine;
    std::unique_ptr<AskedMachine> process = {};
    bool pending = false;
    Clock::time_point asked = {}, next = {};    // when; `next`: to ask, or to reach it anew
    std::string state = {};                     // as it said last, or why it cannot be reached
    std::shared_ptr<const Overview> seen = {};  // what it said last; null: nothing yet
    bool failed = false;                        // it cannot be reached
    bool is_silent(Clock::time_point now) const { return pending && now - asked >= kTopMachineSilence; }
  };
  static void take(Watched& watched, Clock::time_point now);
  static void ask(Watched& watched, Clock::time_point now);

  std::vector<Watched> machines_;
};

}  // namespace luzia
