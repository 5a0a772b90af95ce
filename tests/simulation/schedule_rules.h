// The simulated configuration's schedules, what its daemon and people do with them, and the rules that the
// log must keep: each due time leads to at most one job, never before it is due or during a pause, and none
// passes without an event that says why.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/engine.h"
#include "engine/schedule/due_times.h"
#include "tests/simulation/dice.h"

namespace luzia::test {

/// A [[schedules]] of the configuration.
struct ConfiguredSchedule {
  std::string name;
  Recurrence rule;
  DuePolicy policy;
};
const std::vector<ConfiguredSchedule>& configured_schedules();

/// The next command of the daemon's shell about its schedules; nullopt: there is nothing to do. `job`: the id
/// that a job would get.
std::optional<ToSchedule> due_schedule_command(const ScheduleBook& book, TimeUs now, const std::string& job);
/// A person pauses, resumes or runs one.
ToSchedule random_schedule_command(Dice& dice, const std::map<std::string, Schedule>& known, TimeUs now,
                                   const std::string& job, std::string& words);

class ScheduleRules {
 public:
  /// Takes an event and the jobs before it. Returns the broken rule, or an empty string.
  std::string take(const schema::Event& event, const std::map<std::string, JobState>& jobs);
  /// At the end: nothing is due that could be settled.
  std::string check_ends(TimeUs now, const std::map<std::string, JobState>& jobs) const;
  const std::map<std::string, Schedule>& schedules() const { return schedules_; }
  /// How many jobs came of due times, how many due times were missed, and how many waited for a job.
  std::uint64_t runs() const { return ran_.size(); }
  std::uint64_t missed() const { return missed_; }
  std::uint64_t waits() const { return waits_; }

 private:
  std::string settles(const Schedule& before, const schema::ScheduleDue& fact, TimeUs at);
  std::string dispatches(const Schedule& before, const schema::ScheduleDue& fact,
                         const std::map<std::string, JobState>& jobs);

  std::map<std::string, Schedule> schedules_;
  std::set<std::pair<std::string, TimeUs>> ran_;  // schedule and due time
  std::set<std::string> jobs_;                    // that schedules dispatched
  std::map<std::string, TimeUs> asked_;           // when a person ran a schedule whose last job had not ended
  std::uint64_t missed_ = 0, waits_ = 0;
};

}  // namespace luzia::test
