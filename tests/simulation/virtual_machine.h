// The processes of a simulated machine: luzia-run, the agents and STORE/run/. It outlives every daemon; a
// reboot ends all processes and keeps the files. Deterministic; one thread.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/job/job.h"

namespace luzia::test {

/// An attempt as the machine knows it: its claim, its two processes and its exit record.
struct VirtualAttempt {
  std::string job;
  std::uint32_t number = 0;
  std::string boot_id;
  std::uint32_t runner_pid = 0, agent_pid = 0;
  bool runner_alive = false, agent_alive = false;
  bool stopped = false;            // SIGSTOP
  bool asked_to_stop = false;      // a polite signal that the agent has not acted on yet
  bool claimed = true;             // the claim is still in STORE/run
  std::uint64_t output_bytes = 0;  // one line each: the size of output.log
  std::optional<schema::AttemptEndedT> record;
};

/// Bytes: what each attempt with a limit of memory may use.
inline constexpr std::uint64_t kMemoryLimit = 1'000'000;

class VirtualMachine {
 public:
  /// Launches the attempt. If its claim is taken, nothing starts. Sets broken_rule() if the attempt has run
  /// before, or if another attempt of the job still has an agent.
  VirtualAttempt& launch(const std::string& job, std::uint32_t number);
  VirtualAttempt* find(const std::string& job, std::uint32_t number);

  /// Ends the agent with an exit code or a signal. If luzia-run lives, it writes the exit record and exits.
  void end_agent(VirtualAttempt& attempt, std::optional<int> code, int signal, TimeUs now);
  /// As a kernel that holds the agent's limit of memory: it kills the agent, and luzia-run records that.
  void end_at_limit(VirtualAttempt& attempt, TimeUs now);
  /// Kills luzia-run: no exit record will be written.
  void kill_runner(VirtualAttempt& attempt) { attempt.runner_alive = false; }
  void stop(VirtualAttempt& attempt, bool force, TimeUs now);
  void reboot();
  /// Forgets the other attempts, as a store does that is restored from a backup.
  void keep_only(const std::function<bool(const VirtualAttempt&)>& keep) {
    std::erase_if(attempts_, [&](const auto& each) { return !keep(each.second); });
  }
  /// As luziad does once an attempt's exit is recorded.
  void remove_claim(const std::string& job, std::uint32_t number);

  std::vector<VirtualAttempt*> with_agent();
  std::size_t agents_alive() const;
  const std::map<std::pair<std::string, std::uint32_t>, VirtualAttempt>& attempts() const {
    return attempts_;
  }
  const std::string& boot_id() const { return boot_id_; }
  /// The invariant that was violated, or an empty string.
  const std::string& broken_rule() const { return broken_rule_; }

 private:
  std::map<std::pair<std::string, std::uint32_t>, VirtualAttempt> attempts_;
  std::string boot_id_ = "boot-1";
  int boots_ = 1;
  std::uint32_t next_pid_ = 100;
  std::string broken_rule_;
};

}  // namespace luzia::test
