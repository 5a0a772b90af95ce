// The engine and time: moments that jobs, flows and the queue wait for.
#include <algorithm>

#include "engine/core/engine.h"

namespace luzia {
namespace {

/// Delay before a command that was due and refused is tried again.
constexpr TimeUs kLookAgain = 10 * kSecondUs;

}  // namespace

TimeUs Engine::next_deadline_after(TimeUs now) const {
  // While no step is dispatched, a moment that has passed would stay the next one for ever.
  const TimeUs of_flows = no_new_jobs_ || winding_up_ ? 0 : flows_.next_moment();
  TimeUs earliest = 0;
  for (const TimeUs moment : {deadlines_.first(), queue_.next_moment(now), of_flows}) {
    earliest = earlier_moment(earliest, moment);
  }
  return earliest;
}

void Engine::time_passed(TimeUs now) {
  for (const std::string& job : deadlines_.due(now)) look_at_deadline(job, now);
  queue_.time_passed(now);
  flows_.time_passed(now);
}

void Engine::look_at_deadline(const std::string& job, TimeUs now) {
  const bool done = run_own_command(job, DeadlineReached{warn_fraction_}, now, 0);
  const JobState* live = find_live(job);
  if (live == nullptr) return deadlines_.set(job, 0);
  // The command was refused, so its moment stays in the past: trying at once would loop for ever.
  if (!done) return deadlines_.set(job, now + kLookAgain);
  // A warning is not a lifecycle event, so after_change() has not rearmed the deadline.
  rearm(*live);
}

void Engine::stop_over_budget(TimeUs now, Position cause) {
  for (const std::string& scope : queue_.queue().spending().to_stop(now)) {
    std::vector<std::string> jobs;
    for (const auto& [id, job] : live_) {
      const bool runs = (job.state == schema::JobState::starting || job.state == schema::JobState::running ||
                         job.state == schema::JobState::waiting) &&
                        !job.attempt_over;
      // Stopping an agent that has already reported its outcome would save nothing.
      const bool goes_on = runs && !job.stop_requested && job.outcome == schema::AgentOutcome::none;
      if (goes_on && (scope.empty() || job.spec->project == scope)) jobs.push_back(id);
    }
    CancelJob stop;
    stop.note = "the budget of " + (scope.empty() ? "all projects together" : "project " + scope) +
                " for this day is used up";
    stop.reason = schema::StopReason::policy;
    for (const std::string& job : jobs) run_own_command(job, stop, now, cause);
  }
}

void Engine::warn_of_duration(double fraction) {
  warn_fraction_ = fraction;
  for (const auto& [id, job] : live_) rearm(job);
}

void Engine::clock_stepped(TimeUs step, TimeUs now) {
  schema::SystemFactUnion system;
  system.Set(schema::ClockSteppedT{{}, step});
  CommandMeta meta = by_daemon(now);
  (void)note_system(meta, {std::move(system)});
  const Position cause = writer_.last_decided();
  std::vector<std::string> jobs;
  jobs.reserve(live_.size());
  for (const auto& [id, job] : live_) jobs.push_back(id);
  for (const std::string& job : jobs) run_own_command(job, ShiftDeadlines{step}, now, cause);
  // Moments at which to try again were computed with the old clock.
  for (const auto& [id, job] : live_) rearm(job);
  queue_.clock_stepped(step, now, cause);
  flows_.shift(step, now, cause);
}

}  // namespace luzia
