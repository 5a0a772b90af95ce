#include "tools/luziad/attempts/starts.h"

#include <algorithm>
#include <utility>

#include "engine/base/failpoint.h"

namespace luzia {
namespace {

constexpr std::uint64_t kLongestLookMs = 500;

}  // namespace

void Starts::report(const std::string& job, const LiveAttempt& attempt) {
  const Claim& claim = attempt.claim;
  failpoint("start.report");
  attempts_.report(job, ReportStarted{attempt.number, claim.agent.pid, claim.runner.pid, claim.agent.start,
                                      claim.runner.start, attempt.cgroup, attempt.limits_not_held});
}

void Starts::await(std::uint64_t wait_ms) {
  // Do not restart a running timer: frequent starts must not postpone it.
  if (std::exchange(awaits_, true)) return;
  timer_.start(wait_ms, [this, wait_ms] { look(wait_ms); });
}

void Starts::look(std::uint64_t waited_ms) {
  awaits_ = false;
  bool some_left = false;
  for (auto& [id, attempt] : attempts_.live.by_job) {
    if (attempt.claim.agent.pid == 0 && !attempt.ending && !learn(id, attempt).value_or(false)) {
      some_left = true;
    }
  }
  if (some_left) await(std::min(2 * waited_ms, kLongestLookMs));
}

Result<bool> Starts::learn(const std::string& job, LiveAttempt& attempt) {
  if (attempt.claim.agent.pid != 0) return true;
  const auto claim = LUZIA_TRY(read_claim(attempts_.run_dir, job, attempt.number));
  if (!claim || claim->agent.pid == 0) return false;
  attempt.claim = *claim;
  report(job, attempt);
  return true;
}

}  // namespace luzia
