#include "tests/simulation/attempt_rules.h"

namespace luzia::test {

std::string AttemptRules::take(const schema::JobEvent& event, const JobState& job) {
  if (const auto* fact = event.fact_as_AttemptEnded()) return ends(*fact, job);
  if (const auto* fact = event.fact_as_JobEnded()) return job_ends(*fact, job);
  if (const auto* fact = event.fact_as_JobRetried()) return retries(*fact, job);
  if (const auto* fact = event.fact_as_JobRerouted()) return reroutes(*fact, job);
  const auto* limited = event.fact_as_AttemptLimited();
  const bool nothing_to_hold = limited != nullptr && !job.spec->limits;
  return nothing_to_hold ? "job " + job.job + " has no limits, and they are said to be held" : "";
}

std::string AttemptRules::ends(const schema::AttemptEnded& fact, const JobState& job) {
  if (fact.reached() == nullptr) {
    reached_.erase(job.job);
  } else {
    reached_.insert(job.job);
  }
  return {};
}

std::string AttemptRules::job_ends(const schema::JobEnded& fact, const JobState& job) {
  using schema::EndReason;
  using schema::StopReason;
  const bool pressure = fact.reason() == EndReason::memory_pressure;
  if (!pressure && fact.reason() != EndReason::memory_limit) return {};
  ++limits_;
  const StopReason reason = pressure ? StopReason::memory_pressure : StopReason::memory_limit;
  const bool stopped = job.stop_requested && job.stop_reason == reason;
  if (!stopped && (pressure || !reached_.contains(job.job)))
    return "job " + job.job + " ended at a limit that it did not reach";
  if (!pressure && !job.spec->limits) return "job " + job.job + " ended at a limit that it does not have";
  return fact.retriable() ? "job " + job.job + " ended at a limit, and would reach it again" : "";
}

std::string AttemptRules::retries(const schema::JobRetried& fact, const JobState& job) {
  constexpr std::uint32_t kMostWaits = 5;
  const bool refused = fact.login_until_us() != 0;
  if (fact.automatic() && !fact.corrects() && job.retries_used >= job.spec->retries)
    return "job " + job.job + " is retried more often than it may be";
  if (!refused) {
    waits_[job.job] = fact.automatic() ? waits_[job.job] : 0;
    return {};
  }
  ++logins_;
  if (fact.automatic()) return "job " + job.job + ": a refused login counts as a retry";
  if (job.spec->login_wait_ms == 0) return "job " + job.job + " waits for a login, and may not";
  if (!job.login_failed) return "job " + job.job + " waits for a login that was not refused";
  return ++waits_[job.job] > kMostWaits ? "job " + job.job + " waits for a login for ever" : "";
}

std::string AttemptRules::reroutes(const schema::JobRerouted& fact, const JobState& job) {
  ++reroutes_;
  const bool is_between = job.state == schema::JobState::queued || job.state == schema::JobState::parked;
  if (!is_between) return "job " + job.job + " changes its agent while an attempt is under way";
  if (text(fact.from()) != job.spec->agent || text(fact.agent()) == job.spec->agent)
    return "job " + job.job + " changes from an agent that it does not have, or to the same";
  constexpr std::uint32_t kMost = 20;
  return job.reroutes >= kMost ? "job " + job.job + " changes its agent for ever" : "";
}

}  // namespace luzia::test
