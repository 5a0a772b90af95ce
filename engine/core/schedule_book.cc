#include "engine/core/schedule_book.h"

namespace luzia {

void ScheduleBook::load(Schedule row) {
  std::string name = row.schedule;
  schedules_.insert_or_assign(std::move(name), std::move(row));
}

bool ScheduleBook::last_lives(const Schedule& schedule) const {
  const JobState* job = schedule.last_job.empty() ? nullptr : jobs_.find(schedule.last_job);
  return job != nullptr && !is_terminal(job->state);
}

Result<Outcome> ScheduleBook::run(const CommandMeta& meta, ToSchedule& item) {
  const auto known = schedules_.find(item.schedule);
  Schedule draft = known == schedules_.end() ? Schedule() : known->second;
  auto decision = LUZIA_TRY(decide(draft, item.schedule, item.command, last_lives(draft)));
  if (decision.events.empty()) return Outcome{{}, writer_.last_decided(), false, true};
  std::vector<ToJob> jobs;
  if (decision.dispatches && item.job) jobs.push_back(std::move(*item.job));
  const std::string to_cancel = decision.cancels_last ? draft.last_job : std::string();
  Outcome outcome = LUZIA_TRY(commands_.run(meta, jobs, [&](std::vector<StagedEvent>& staged) -> Status {
    for (NewEvent& event : decision.events) {
      LUZIA_TRY(writer_.stage(meta, std::move(event), draft.version + 1, nullptr, staged));
      evolve(draft, *schema::GetEvent(staged.back().encoded.data()));
    }
    return {};
  }));
  schedules_.insert_or_assign(item.schedule, std::move(draft));
  if (!to_cancel.empty()) {
    CancelJob cancel;
    cancel.note = "schedule '" + item.schedule + "' is due again";
    cancel.reason = schema::StopReason::policy;
    (void)commands_.run_own(to_cancel, std::move(cancel), meta.now, outcome.position);
  }
  return outcome;
}

}  // namespace luzia
