// The simulated clients: they send commands with ids, repeat them when no answer came, and remember what was
// acknowledged.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/simulation/dice.h"
#include "tests/simulation/log_rules.h"

namespace luzia::test {

class Clients {
 public:
  /// The arguments must outlive the object.
  Clients(Dice& dice, LogRules& rules, const MemoryEventLog& log) : dice_(dice), rules_(rules), log_(log) {}

  /// Sends a new command or repeats an old one. Returns a description of it.
  std::string send(Engine& engine, TimeUs now);
  /// Lifts everything that keeps jobs from ending.
  void lift_all(Engine& engine, TimeUs now);
  const std::string& broken_rule() const { return broken_rule_; }
  /// Checks that the log contains what was acknowledged. May be called at any time.
  std::string check_promises() const;
  std::size_t acknowledged() const { return acknowledged_; }

 private:
  struct Sent {
    std::string words;
    Command command;
    std::optional<Outcome> promise;
  };
  Sent new_command(TimeUs now);
  void join_a_flow(QueueJob& job);
  std::vector<std::string> ended_flows() const;
  Command job_command(std::string& words, TimeUs now);
  QueueJob queue_job();
  std::vector<ToJob> import_jobs(std::string& words);
  void submit(Engine& engine, std::size_t which, TimeUs now);
  void answered(std::size_t which, const Result<Outcome>& answer);

  Dice& dice_;
  LogRules& rules_;
  const MemoryEventLog& log_;
  std::vector<Sent> sent_;
  std::vector<std::string> jobs_, flows_, imported_;  // imported jobs are in jobs_ too
  std::size_t acknowledged_ = 0;
  std::string broken_rule_;
};

}  // namespace luzia::test
