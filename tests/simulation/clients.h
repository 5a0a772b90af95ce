// The people of the simulation: commands with ids, sent, sent again when no answer came, and what they were
// promised.
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
  /// All outlive it.
  Clients(Dice& dice, LogRules& rules, const MemoryEventLog& log) : dice_(dice), rules_(rules), log_(log) {}

  /// A new command, or an old one again; what it was in words.
  std::string send(Engine& engine, TimeUs now);
  /// Everything that keeps jobs from ending is lifted.
  void lift_all(Engine& engine, TimeUs now);
  const std::string& broken_rule() const { return broken_rule_; }
  /// At any time: what was acknowledged is in the log.
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
  std::vector<JobOrder> import_jobs(std::string& words);
  void submit(Engine& engine, std::size_t which, TimeUs now);
  void answered(std::size_t which, const Result<Outcome>& answer);

  Dice& dice_;
  LogRules& rules_;
  const MemoryEventLog& log_;
  std::vector<Sent> sent_;
  std::vector<std::string> jobs_, flows_, imported_;  // imported jobs are jobs, too
  std::size_t acknowledged_ = 0;
  std::string broken_rule_;
};

}  // namespace luzia::test
