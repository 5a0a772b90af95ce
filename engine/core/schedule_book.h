// The schedules: what is known of them, and the commands that change them, with the jobs that these dispatch.
// Loop thread.
#pragma once

#include <map>
#include <string>

#include "engine/core/job_commands.h"

namespace luzia {

class ScheduleBook {
 public:
  /// All must outlive this.
  ScheduleBook(GroupWriter& writer, const JobBook& jobs, JobCommands& commands)
      : writer_(writer), jobs_(jobs), commands_(commands) {}

  /// Start: a schedule as the core views hold it.
  void load(Schedule row);
  /// By name; those that the configuration no longer has too.
  const std::map<std::string, Schedule, std::less<>>& all() const { return schedules_; }
  /// Whether the last job of the schedule has not ended.
  bool last_lives(const Schedule& schedule) const;
  /// Its events and the job are one group. Outcome.ids names the job, if one was dispatched.
  Result<Outcome> run(const CommandMeta& meta, ToSchedule& item);

 private:
  GroupWriter& writer_;
  const JobBook& jobs_;
  JobCommands& commands_;
  std::map<std::string, Schedule, std::less<>> schedules_;
};

}  // namespace luzia
