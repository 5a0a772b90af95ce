#include "tools/luziad/attempts/attempt_signals.h"

#include <spdlog/spdlog.h>

#include <utility>

namespace luzia {

void AttemptSignals::carry_out(const Effect& effect, const JobState& job) {
  const AttemptMark mark{job.job, job.attempt, job.spec->uid};
  if (job.pid != 0) {
    return send(effect.kind, mark,
                {job.boot_id, {job.runner_pid, job.runner_start}, {job.pid, job.pid_start}});
  }
  // Not reported as running yet. luzia-run gets the signal during its checks, or as soon as it exists.
  const auto it = attempts_.live.by_job.find(job.job);
  if (it == attempts_.live.by_job.end() || it->second.number != job.attempt) {
    awaited_[job.job] = effect;
  } else {
    send(effect.kind, mark, it->second.claim);
  }
}

void AttemptSignals::send(EffectKind kind, const AttemptMark& mark, Claim claim) {
  tasks_.run(mark.job, [claim = std::move(claim), kind, mark, run_dir = attempts_.run_dir]() mutable {
    if (claim.agent.pid == 0) {
      // It may have started meanwhile.
      const auto written = read_claim(run_dir, mark.job, mark.attempt);
      if (written && *written) claim = **written;
    }
    Status done;
    switch (kind) {
      case EffectKind::launch:
      case EffectKind::deliver_answer:
        return;
      case EffectKind::stop_politely:
        done = stop_attempt(claim, StopForce::polite, mark);
        break;
      case EffectKind::stop_by_force:
        done = stop_attempt(claim, StopForce::forced, mark);
        break;
      case EffectKind::pause_group:
        done = pause_attempt(claim, true, mark);
        break;
      case EffectKind::continue_group:
        done = pause_attempt(claim, false, mark);
        break;
    }
    if (!done) spdlog::warn("job {}: {}", mark.job, done.error().message);
  });
}

bool AttemptSignals::is_stop_awaited(const std::string& job, std::uint32_t number) const {
  const auto it = awaited_.find(job);
  if (it == awaited_.end() || it->second.attempt != number) return false;
  return it->second.kind == EffectKind::stop_politely || it->second.kind == EffectKind::stop_by_force;
}

void AttemptSignals::send_awaited(const std::string& job, const LiveAttempt& attempt) {
  const auto it = awaited_.find(job);
  if (it == awaited_.end() || it->second.attempt != attempt.number) return;
  send(it->second.kind, {job, attempt.number, attempt.uid}, attempt.claim);
  awaited_.erase(it);
}

}  // namespace luzia
