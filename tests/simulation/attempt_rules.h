// The rules of attempts that did not go well: refused logins, limits of memory, automatic retries. Checked
// event by event against the state of the job before it.
#pragma once

#include <map>
#include <set>
#include <string>

#include "engine/job/job.h"

namespace luzia::test {

class AttemptRules {
 public:
  /// `job`: its state before the event. Returns the broken rule, or an empty string.
  std::string take(const schema::JobEvent& event, const JobState& job);

  std::uint64_t limits() const { return limits_; }
  std::uint64_t logins() const { return logins_; }
  std::uint64_t reroutes() const { return reroutes_; }

 private:
  std::string ends(const schema::AttemptEnded& fact, const JobState& job);
  std::string job_ends(const schema::JobEnded& fact, const JobState& job);
  std::string retries(const schema::JobRetried& fact, const JobState& job);
  std::string reroutes(const schema::JobRerouted& fact, const JobState& job);

  std::set<std::string> reached_;  // jobs whose last ended attempt the kernel killed at its limit
  std::map<std::string, std::uint32_t> waits_;  // for a login, since another retry
  std::uint64_t limits_ = 0, logins_ = 0, reroutes_ = 0;
};

}  // namespace luzia::test
