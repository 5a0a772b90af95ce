// Stops, pauses and continues the processes of attempts. A signal that is due before luzia-run is known waits
// for it. Loop thread; the signals are sent on workers.
#pragma once

#include <map>
#include <string>

#include "tools/luziad/attempts/job_tasks.h"
#include "tools/luziad/attempts/live_attempts.h"

namespace luzia {

class AttemptSignals {
 public:
  /// `attempts` must outlive it.
  explicit AttemptSignals(AttemptContext& attempts) : attempts_(attempts), tasks_(attempts.workers) {}

  void carry_out(const Effect& effect, const JobState& job);
  /// Whether a stop waits for that attempt's luzia-run.
  bool is_stop_awaited(const std::string& job, std::uint32_t number) const;
  /// Sends the signal that was due before luzia-run existed.
  void send_awaited(const std::string& job, const LiveAttempt& attempt);
  void forget(const std::string& job) { awaited_.erase(job); }

 private:
  void send(EffectKind kind, const AttemptMark& mark, Claim claim);

  AttemptContext& attempts_;
  JobTasks tasks_;
  std::map<std::string, Effect> awaited_;  // by job
};

}  // namespace luzia
