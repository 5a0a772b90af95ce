// The rules for messages to agents, checked from the log alone: each is read at most once, by an attempt of
// its own job, and what was not read is in the next prompt.
#pragma once

#include <map>
#include <string>

#include "engine/job/job.h"
#include "tests/simulation/dice.h"

namespace luzia::test {

class ToldRules {
 public:
  /// Takes an event and the job's state before it. Returns the broken rule, or an empty string.
  std::string take(const schema::Event& event, const JobState& before);
  /// How many messages were read in prompts, and otherwise.
  std::size_t by_prompt() const { return by_prompt_; }
  std::size_t by_calls() const { return by_calls_; }

 private:
  struct Message {
    std::string job;
    Position told = 0;
    bool read = false;
  };
  struct Attempt {
    Position starting = 0;
    bool started = false;
  };
  std::string told(const schema::JobTold& fact, Position position, const JobState& job);
  std::string read(const schema::JobToldRead& fact, const JobState& job);
  /// What an attempt that has started must have read, because its prompt had it.
  std::string unheard(const JobState& job) const;

  std::map<std::string, Message, std::less<>> messages_;
  std::map<std::string, Attempt> attempts_;  // the last one of each job
  std::size_t by_prompt_ = 0, by_calls_ = 0;
};

/// Tells the job something, or has its agent read what it was told.
JobCommand random_told_command(Dice& dice, const JobState& job, std::size_t serial, std::string& words);

}  // namespace luzia::test
