// A whole life of a store in one thread from one seed: people, daemon, processes, power and clock. Any step
// may follow any other, and the rules are checked after each. The same seed repeats the same steps.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/simulation/clients.h"
#include "tests/simulation/daemon_life.h"

namespace luzia::test {

class Simulation {
 public:
  explicit Simulation(std::uint64_t seed);

  /// Returns the rule that was broken, or an empty string.
  std::string run();
  /// What happened, one line per step.
  const std::vector<std::string>& story() const { return story_; }

  struct Counts {
    std::uint64_t steps = 0, events = 0, jobs = 0, attempts = 0, acknowledged = 0, crashes = 0, reboots = 0,
                  failed_groups = 0;
    LogRules::Seldom seldom;

    Counts& operator+=(const Counts& other);
  };
  Counts counts() const;
  Tip tip() const { return around_.log.tip(); }

 private:
  void step();
  std::string choose();
  std::string dispatch_or_carry_out();
  std::string fold_or_look_after();
  std::string agent_acts();
  std::string time_passes();
  std::string clock_steps();
  std::string crash();
  std::string reboot();
  std::string group_fails();
  void start_daemon();
  void look_at_schedules();
  void calm_down();
  void calm_step();
  void check();
  std::string check_live_jobs();
  std::string check_views();
  void tell(const std::string& words) {
    if (!words.empty()) story_.push_back(std::to_string(story_.size()) + "  " + words);
  }

  Dice dice_;
  Surroundings around_;
  LogRules rules_;
  Clients clients_;
  std::unique_ptr<DaemonLife> daemon_;
  Counts counts_;
  std::vector<std::string> story_;
  std::string broken_;
};

}  // namespace luzia::test
