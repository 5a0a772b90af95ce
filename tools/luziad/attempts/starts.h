// Learns from the claims which process is the agent of an attempt, and reports it. While its checks run, an
// attempt has none. Loop thread.
#pragma once

#include <string>

#include "tools/luziad/attempts/live_attempts.h"

namespace luzia {

class Starts {
 public:
  /// `attempts` must outlive it.
  explicit Starts(AttemptContext& attempts) : attempts_(attempts), timer_(attempts.loop) {}

  /// The claim names the agent.
  void report(const std::string& job, const LiveAttempt& attempt);
  /// Looks at the claims of all attempts without an agent, until each has one or ends.
  void await_late() { await(kFirstLookMs); }
  /// Reports the agent if the claim names it; false if it does not yet.
  Result<bool> learn(const std::string& job, LiveAttempt& attempt);
  void stop() { timer_.stop(); }

 private:
  static constexpr std::uint64_t kFirstLookMs = 10;
  void await(std::uint64_t wait_ms);
  void look(std::uint64_t waited_ms);

  AttemptContext& attempts_;
  Timer timer_;
  bool awaits_ = false;
};

}  // namespace luzia
