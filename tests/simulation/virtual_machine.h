// Processes of a simulated machine: what luzia-run, the agents and STORE/run/ would be. It outlives every
// daemon; a reboot ends all processes and keeps the files. Deterministic, one thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/job/job.h"

namespace luzia::test {

/// One attempt as the machine knows it: its claim, its two processes and its exit record.
struct VirtualAttempt {
  std::string job;
  std::uint32_t number = 0;
  std::string boot_id;
  std::uint32_t runner_pid = 0, agent_pid = 0;
  bool runner_alive = false, agent_alive = false;
  bool stopped = false;            // SIGSTOP
  bool asked_to_stop = false;      // a polite signal, not yet heeded
  bool claimed = true;             // the claim is still in STORE/run
  std::uint64_t output_bytes = 0;  // one line each: what output.log holds
  std::optional<schema::AttemptEndedT> record;
};

class VirtualMachine {
 public:
  /// The claim decides: a second launch of the same attempt finds it taken and starts nothing. Breaks a rule
  /// when the attempt has run before, or another attempt of the job still has its agent.
  VirtualAttempt& launch(const std::string& job, std::uint32_t number);
  VirtualAttempt* find(const std::string& job, std::uint32_t number);

  /// The agent ends by itself or by a signal; luzia-run, when it lives, leaves the record and ends.
  void end_agent(VirtualAttempt& attempt, std::optional<int> code, int signal, TimeUs now);
  /// luzia-run is killed: nobody will write a record.
  void kill_runner(VirtualAttempt& attempt) { attempt.runner_alive = false; }
  void stop(VirtualAttempt& attempt, bool force, TimeUs now);
  void reboot();
  /// What luziad does once the end of an attempt is recorded.
  void remove_claim(const std::string& job, std::uint32_t number);

  std::vector<VirtualAttempt*> with_agent();
  std::size_t agents_alive() const;
  const std::map<std::pair<std::string, std::uint32_t>, VirtualAttempt>& attempts() const {
    return attempts_;
  }
  const std::string& boot_id() const { return boot_id_; }
  /// What must never happen and did; empty: nothing.
  const std::string& broken_rule() const { return broken_rule_; }

 private:
  std::map<std::pair<std::string, std::uint32_t>, VirtualAttempt> attempts_;
  std::string boot_id_ = "boot-1";
  int boots_ = 1;
  std::uint32_t next_pid_ = 100;
  std::string broken_rule_;
};

}  // namespace luzia::test
