// The engine and time: moments that jobs and the queue wait for, and what the engine orders by itself.
#include <algorithm>

#include "engine/core/engine.h"

namespace luzia {
namespace {

/// What was due and refused is looked at again after so long.
constexpr TimeUs kLookAgain = 10 * kSecondUs;

}  // namespace

bool Engine::order_internally(const std::string& job, JobCommand command, TimeUs now, Position cause) {
  CommandMeta meta;
  meta.now = now;
  meta.cause = cause;
  std::vector<JobOrder> orders;
  orders.push_back({job, std::move(command)});
  const auto done = order_jobs(meta, orders);
  tell_refusal("job/" + job, done ? Status() : tl::unexpected(done.error()));
  return done.has_value();
}

void Engine::tell_refusal(const std::string& stream, const Status& done) {
  if (done) {
    refusals_told_.erase(stream);
  } else if (refusals_told_.insert(stream).second && hooks_.order_refused) {
    hooks_.order_refused(stream, done.error());
  }
}

void Engine::rearm(const JobState& job) {
  arm(job.job, next_deadline(job, warn_fraction_));
}

void Engine::arm(const std::string& job, TimeUs due) {
  if (due == 0 && !deadline_of_.contains(job)) return;
  auto [it, inserted] = deadline_of_.try_emplace(job, 0);
  if (it->second != due) {
    if (it->second != 0) deadlines_.erase({it->second, job});
    if (due != 0) deadlines_.insert({due, job});
    it->second = due;
  }
  if (due == 0) deadline_of_.erase(it);
}

TimeUs Engine::next_deadline_after(TimeUs now) const {
  TimeUs earliest = deadlines_.empty() ? 0 : deadlines_.begin()->first;
  const auto of_queue = [this](TimeUs moment) {
    return moment == 0 ? 0 : std::max(moment, queue_waits_until_);
  };
  for (const TimeUs moment : {queue_.next_start_time(now), of_queue(queue_.breakers().next_closing()),
                              of_queue(queue_.agent_limits().next_reset()), queue_.spending().next_end(now),
                              queue_.spending().next_mark(now)}) {
    if (moment != 0 && (earliest == 0 || moment < earliest)) earliest = moment;
  }
  // Nothing is handed over meanwhile: a moment that is over would be the next for ever.
  if (no_new_jobs_ || winding_up_) return earliest;
  for (const auto& [flow, moment] : delayed_flows_) {
    if (earliest == 0 || moment < earliest) earliest = moment;
  }
  return earliest;
}

void Engine::time_passed(TimeUs now) {
  queue_changed_ = true;
  std::vector<std::string> due;
  for (const auto& [moment, job] : deadlines_) {
    if (moment > now) break;
    due.push_back(job);
  }
  for (const std::string& job : due) look_at_deadline(job, now);
  close_due_breakers(now);
  unpark_due_agents(now);
  queue_.spending().time_passed();
  for (const auto& [flow, moment] : delayed_flows_) {
    if (moment <= now) flows_to_name_.insert(flow);
  }
}

void Engine::look_at_deadline(const std::string& job, TimeUs now) {
  const bool done = order_internally(job, DeadlineReached{warn_fraction_}, now, 0);
  const JobState* live = find_live(job);
  if (live == nullptr) return arm(job, 0);
  // Its moment has come and stays: at once again would be for ever.
  if (!done) return arm(job, now + kLookAgain);
  // A warning is no change of the job's life, which would have seen to it.
  rearm(*live);
}

/// A fact of the queue by the engine itself. What is due and cannot be recorded is due again later.
void Engine::queue_fact_noted(const CommandMeta& meta, const std::string& stream, const Status& done) {
  tell_refusal(stream, done);
  if (!done) queue_waits_until_ = meta.now + kLookAgain;
}

void Engine::warn_of_duration(double fraction) {
  warn_fraction_ = fraction;
  for (const auto& [id, job] : live_) rearm(job);
}

void Engine::clock_stepped(TimeUs step, TimeUs now) {
  schema::ClockSteppedT fact;
  fact.step_us = step;
  schema::SystemFactUnion system;
  system.Set(fact);
  CommandMeta meta;
  meta.now = now;
  (void)note_system(meta, {std::move(system)});
  const Position cause = last_decided();
  std::vector<std::string> jobs;
  jobs.reserve(live_.size());
  for (const auto& [id, job] : live_) jobs.push_back(id);
  for (const std::string& job : jobs) order_internally(job, ShiftDeadlines{step}, now, cause);
  // Moments to look again at were of the other clock.
  for (const auto& [id, job] : live_) rearm(job);
  queue_waits_until_ = 0;
  shift_breakers(step, now, cause);
  cut_agent_limits(now, cause);
  shift_flows(step, now, cause);
}

}  // namespace luzia
