#include "tests/simulation/virtual_machine.h"

namespace luzia::test {

VirtualAttempt& VirtualMachine::launch(const std::string& job, std::uint32_t number) {
  auto [it, claimed] = attempts_.try_emplace({job, number});
  VirtualAttempt& attempt = it->second;
  if (!claimed) {
    if (!attempt.claimed)
      broken_rule_ = "attempt " + std::to_string(number) + " of " + job + " was launched after its end";
    return attempt;
  }
  for (const auto& [key, other] : attempts_) {
    if (other.job == job && other.agent_alive) {
      broken_rule_ = "attempt " + std::to_string(number) + " of " + job + " started beside attempt " +
                     std::to_string(other.number);
    }
  }
  attempt.job = job;
  attempt.number = number;
  attempt.boot_id = boot_id_;
  attempt.runner_pid = next_pid_++;
  attempt.agent_pid = next_pid_++;
  attempt.runner_alive = attempt.agent_alive = true;
  return attempt;
}

VirtualAttempt* VirtualMachine::find(const std::string& job, std::uint32_t number) {
  const auto it = attempts_.find({job, number});
  return it == attempts_.end() ? nullptr : &it->second;
}

void VirtualMachine::remove_claim(const std::string& job, std::uint32_t number) {
  if (VirtualAttempt* attempt = find(job, number)) attempt->claimed = false;
}

void VirtualMachine::end_agent(VirtualAttempt& attempt, std::optional<int> code, int signal, TimeUs now) {
  attempt.agent_alive = false;
  if (!attempt.runner_alive) return;
  attempt.runner_alive = false;
  schema::AttemptEndedT end;
  end.attempt = attempt.number;
  end.exit_code = code;
  end.signal = signal;
  end.ended_us = now;
  attempt.record = std::move(end);
}

void VirtualMachine::end_at_limit(VirtualAttempt& attempt, TimeUs now) {
  const bool is_recorded = attempt.runner_alive;
  end_agent(attempt, std::nullopt, 9, now);
  if (!is_recorded) return;
  attempt.record->reached = std::make_unique<schema::ReachedLimitT>();
  attempt.record->reached->reason = schema::StopReason::memory_limit;
}

void VirtualMachine::stop(VirtualAttempt& attempt, bool force, TimeUs now) {
  if (!attempt.agent_alive) return;
  if (force) return end_agent(attempt, std::nullopt, 9, now);
  attempt.asked_to_stop = true;
}

void VirtualMachine::reboot() {
  for (auto& [key, attempt] : attempts_) attempt.runner_alive = attempt.agent_alive = false;
  boot_id_ = "boot-" + std::to_string(++boots_);
}

std::vector<VirtualAttempt*> VirtualMachine::with_agent() {
  std::vector<VirtualAttempt*> alive;
  for (auto& [key, attempt] : attempts_) {
    if (attempt.agent_alive) alive.push_back(&attempt);
  }
  return alive;
}

std::size_t VirtualMachine::agents_alive() const {
  std::size_t alive = 0;
  for (const auto& [key, attempt] : attempts_) alive += attempt.agent_alive ? 1 : 0;
  return alive;
}

}  // namespace luzia::test
